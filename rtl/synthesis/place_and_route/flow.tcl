# Places and routes one block with OpenROAD and measures it: as mapped, and as routed.
#
#   openroad -exit flow.tcl        in the directory of job.tcl, which run.py writes: `job` (this
#                                  block) and `tech` (the technology), two arrays of settings
#
# Writes metrics.tsv (name, tab, value; METRICS2.1 names; ns, um, um2, W), routed.def, routed.v, drc.rpt and,
# where wires are extracted, routed.spef. run.py judges what is there; no exit code is trusted.

source job.tcl
set metrics [open metrics.tsv w]

proc metric {name value} {
  puts $::metrics "$name\t$value"
  flush $::metrics
}

# Toggles a cycle and share of time high of every driving pin, from the replay of a recorded trace.
# Buffers that were added since take them over from their inputs. Outputs of macros cannot: OpenSTA
# gives them the activity of inputs that nobody set, which is therefore made their mean.
proc set_activity {file} {
  set channel [open $file]
  set found 0
  set missing 0
  set macro_pins 0
  set macro_toggles 0.0
  while {[gets $channel line] >= 0} {
    lassign $line kind name toggles high
    if {$kind eq "port"} {
      set port [get_ports $name]
      set_power_activity -input_ports $port -activity $toggles -duty $high
      set ::port_toggles($name) $toggles
      incr found
    } elseif {$kind eq "macro"} {
      incr macro_pins
      set macro_toggles [expr {$macro_toggles + $toggles}]
    } elseif {[set pin [sta::find_pin $name]] ne "NULL"} {
      sta::set_power_pin_activity $pin $toggles $high
      incr found
    } else {
      incr missing
    }
  }
  close $channel
  if {$macro_pins > 0} {
    set_power_activity -input -activity [expr {$macro_toggles / $macro_pins}] -duty 0.5
  }
  return [list $found $missing]
}

# Power of charging the nets of input ports, clock included: report_power leaves it to whatever drives
# them, but it is this block's pins and wires that are charged.
proc input_power {} {
  global job tech port_toggles
  set port_toggles($tech(clock_port)) 2.0
  set energy 0.0
  foreach name [array names port_toggles] {
    set net [lindex [get_nets $name] 0]
    if {$net eq ""} { continue }
    set farad [$net capacitance [sta::cmd_corner] max]
    set energy [expr {$energy + 0.5 * $port_toggles($name) * $farad * $job(voltage_v) ** 2}]
  }
  return [expr {$energy / $job(period_s)}]
}

# The slowest path from register to register decides the shortest period; the slacks of the whole
# block include the paths to and from ports, which its neighbours share.
proc measure_timing {stage} {
  set period [get_property [lindex [all_clocks] 0] period]
  set path [find_timing_paths -path_delay max \
    -from [all_registers -clock_pins] -to [all_registers -data_pins]]
  if {[llength $path] == 0} { error "no path from register to register" }
  set slack [get_property [lindex $path 0] slack]
  metric ${stage}__timing__min_period [expr {$period - $slack}]
  metric ${stage}__timing__setup__ws [sta::worst_slack -max]
  metric ${stage}__timing__hold__ws [sta::worst_slack -min]
  metric ${stage}__timing__setup__tns [sta::total_negative_slack -max]
  metric ${stage}__timing__hold__tns [sta::total_negative_slack -min]
}

# Watts: internal (cells, clock pins), switching (nets), leakage; all and of macros alone.
proc measure_power {stage} {
  global job
  foreach mode {active idle} {
    lassign [set_activity $job(activity_$mode)] found missing
    metric ${stage}__power__activity__pins__$mode $found
    metric ${stage}__power__activity__missing__$mode $missing
    metric ${stage}__power__switching__inputs__$mode [input_power]
    set power [sta::design_power [sta::cmd_corner]]
    foreach {kind at} {internal 0 switching 1 leakage 2} {
      metric ${stage}__power__${kind}__total__$mode [lindex $power $at]
      set watts 0.0
      foreach {name x y orientation} $job(macros) {
        set macro [sta::instance_power [get_cells $name] [sta::cmd_corner]]
        set watts [expr {$watts + [lindex $macro $at]}]
      }
      metric ${stage}__power__${kind}__macro__$mode $watts
    }
  }
}

# Standard cells without fill and taps, macros apart.
proc measure_design {stage} {
  set block [ord::get_db_block]
  set units [expr {double([$block getDbUnitsPerMicron])}]
  array set count {stdcell 0 macros 0 buffers 0}
  array set area {stdcell 0.0 macros 0.0}
  foreach instance [$block getInsts] {
    set master [$instance getMaster]
    if {[$master isBlock]} {
      set kind macros
    } elseif {[string match "CORE*" [$master getType]] \
              && ![string match "*SPACER*" [$master getType]] \
              && ![string match "*WELLTAP*" [$master getType]] \
              && ![string match $::tech(fill) [$master getName]] \
              && [$master getName] ne $::tech(tap)} {
      set kind stdcell
    } else {
      continue
    }
    incr count($kind)
    set width [expr {[$master getWidth] / $units}]
    set height [expr {[$master getHeight] / $units}]
    set area($kind) [expr {$area($kind) + $width * $height}]
  }
  foreach kind {stdcell macros} {
    metric ${stage}__design__instance__count__${kind} $count($kind)
    metric ${stage}__design__instance__area__${kind} $area($kind)
  }
}

# Libraries, netlist, clock ------------------------------------------------------------------
foreach file $job(lef) { read_lef $file }
foreach file $job(liberty) { read_liberty $file }
read_verilog $job(verilog)
link_design $job(module)
set clock_port [get_ports $tech(clock_port)]
create_clock -name clock -period [expr {$job(period_s) * 1e9}] $clock_port
set io_delay [expr {$job(period_s) * 1e9 * $tech(io_share)}]
set_input_delay $io_delay -clock clock [sta::delete_from_list [all_inputs] $clock_port]
set_output_delay $io_delay -clock clock [all_outputs]
set_dont_use $tech(dont_use)

metric floorplan__design__die__area [expr {[lindex $job(die) 2] * [lindex $job(die) 3]}]
metric floorplan__design__core__area [expr {([lindex $job(core) 2] - [lindex $job(core) 0]) \
                               * ([lindex $job(core) 3] - [lindex $job(core) 1])}]
measure_design synthesis
measure_timing synthesis
measure_power synthesis

# Floorplan, pins, power grid ----------------------------------------------------------------
initialize_floorplan -site $tech(site) -die_area $job(die) -core_area $job(core)
if {$job(tracks) ne ""} { source $job(tracks) } else { make_tracks }
foreach {name x y orientation} $job(macros) {
  place_cell -inst_name $name -origin [list $x $y] -orient $orientation -status FIRM
}
tapcell -distance $tech(tap_distance) -tapcell_master $tech(tap) -endcap_master $tech(tap) \
  -halo_width_x $tech(halo) -halo_width_y $tech(halo)
add_global_connection -net VDD -inst_pattern .* -pin_pattern {^VDD$} -power
add_global_connection -net VSS -inst_pattern .* -pin_pattern {^VSS$} -ground
global_connect
set_voltage_domain -name CORE -power VDD -ground VSS
define_pdn_grid -name cells -voltage_domains CORE
foreach {layer width pitch offset} $tech(stripes) {
  if {$pitch == 0} {
    add_pdn_stripe -grid cells -layer $layer -width $width -followpins
  } else {
    add_pdn_stripe -grid cells -layer $layer -width $width -pitch $pitch -offset $offset
  }
}
foreach {low high} $tech(stripe_vias) { add_pdn_connect -grid cells -layers [list $low $high] }
if {[llength $job(macros)] > 0} {
  define_pdn_grid -name macros -voltage_domains CORE -macro -default \
    -halo [list $tech(halo) $tech(halo) $tech(halo) $tech(halo)] -grid_over_pg_pins
  foreach {low high} $tech(macro_vias) { add_pdn_connect -grid macros -layers [list $low $high] }
}
pdngen

# Placement ----------------------------------------------------------------------------------
set_routing_layers -signal $tech(signal_layers) -clock $tech(clock_layers)
set_global_routing_layer_adjustment $tech(signal_layers) $tech(layer_adjustment)
set_macro_extension 2
if {$job(wire_rc) ne ""} { source $job(wire_rc) }
set_wire_rc -signal -layer $tech(signal_rc_layer)
set_wire_rc -clock -layer $tech(clock_rc_layer)
place_pins -hor_layers $tech(pin_layer_horizontal) -ver_layers $tech(pin_layer_vertical)
global_placement -density $job(density) -pad_left 1 -pad_right 1
place_pins -hor_layers $tech(pin_layer_horizontal) -ver_layers $tech(pin_layer_vertical)
estimate_parasitics -placement
repair_design
foreach port $tech(ties) { repair_tie_fanout $port }
set_placement_padding -global -left 0 -right 0
detailed_placement

# Clock tree ---------------------------------------------------------------------------------
repair_clock_inverters
clock_tree_synthesis -root_buf $tech(clock_buffer) -buf_list $tech(clock_buffer) \
  -sink_clustering_enable -sink_clustering_max_diameter $tech(clock_cluster_um)
repair_clock_nets
detailed_placement
set_propagated_clock [all_clocks]
estimate_parasitics -placement
repair_timing -setup
repair_timing -hold
detailed_placement
measure_design finish
check_placement -verbose
filler_placement $tech(fill)

# Routing ------------------------------------------------------------------------------------
if {$job(detailed)} {
  pin_access -bottom_routing_layer $tech(bottom_layer) -top_routing_layer $tech(top_layer)
}
global_route -guide_file route.guide -congestion_iterations 50
check_antennas
metric globalroute__antenna__violating__nets [ant::antenna_violation_count]
if {$job(detailed)} {
  set_thread_count $job(threads)
  detailed_route -output_drc drc.rpt -no_pin_access -verbose 1 \
    -bottom_routing_layer $tech(bottom_layer) -top_routing_layer $tech(top_layer) \
    -droute_end_iter $job(route_iterations)
  metric detailedroute__route__drc_errors [detailed_route_num_drvs]
}
write_db routed.odb
write_def routed.def
write_verilog -remove_cells $tech(fill) routed.v

# Wires, timing and power as routed ----------------------------------------------------------
if {$job(detailed) && $job(extraction_rules) ne ""} {
  define_process_corner -ext_model_index 0 X
  extract_parasitics -ext_model_file $job(extraction_rules)
  write_spef routed.spef
  read_spef routed.spef
  metric finish__parasitics extracted
} else {
  estimate_parasitics -global_routing
  metric finish__parasitics estimated
}
set length 0
foreach net [[ord::get_db_block] getNets] {
  set wire [$net getWire]
  if {$wire ne "NULL"} { set length [expr {$length + [$wire getLength]}] }
}
metric detailedroute__route__wirelength [expr {$length / double([[ord::get_db_block] getDbUnitsPerMicron])}]
measure_timing finish
metric finish__clock__skew__setup [sta::worst_clock_skew -setup]
measure_power finish
metric finish__complete 1
close $metrics
