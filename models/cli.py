"""The ``choco`` command."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from models import claims, cli_dse, config_docs, tables, tools
from models import config as configuration
from models.cli_errors import one_line_errors
from models.parameters import ParameterSet

app = typer.Typer(
    help="Model the client side of homomorphic encryption.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    add_completion=False,
)
config_app = typer.Typer(help="Check or document the configuration.", no_args_is_help=True)
app.add_typer(config_app, name="config")
app.add_typer(cli_dse.app, name="dse")

ConfigFile = Annotated[Path, typer.Option("--config", help="configuration file")]


@config_app.command("check")
def config_check(path: Annotated[Path, typer.Argument()] = config_docs.DEFAULTS) -> None:
    """Check a configuration file."""
    with one_line_errors():
        configuration.load(path)
    typer.echo(f"{path}: ok")


@config_app.command("write")
def config_write() -> None:
    """Write the default configuration, its JSON schema and the key table of the manual."""
    for path in config_docs.write(Path()):
        typer.echo(path)


@app.command()
def params(config: ConfigFile = config_docs.DEFAULTS) -> None:
    """Show the HE parameter sets: sizes and security."""
    with one_line_errors():
        sets = configuration.load(config).parameter_sets
    columns: dict[str, Callable[[ParameterSet], object]] = {
        "scheme": lambda s: s.scheme,
        "N": lambda s: s.poly_modulus_degree,
        "{k} bits": lambda s: ",".join(map(str, s.coeff_modulus_bits)),
        "log2 q": lambda s: s.log2_q,
        "at most": lambda s: s.max_log2_q,
        "security": lambda s: s.security_bits,
        "ciphertext B": lambda s: s.ciphertext_bytes(),
        "public key B": lambda s: s.public_key_bytes,
        "Galois key B": lambda s: s.key_switching_key_bytes,
    }
    rows = [[name, *(str(get(s)) for get in columns.values())] for name, s in sets.items()]
    _print_table([["set", *columns], *rows])


@app.command()
def doctor(config: ConfigFile = config_docs.DEFAULTS) -> None:
    """Show which external tools are here, which provider is in use, and what each unlocks."""
    with one_line_errors():
        rows = tools.doctor(configuration.load(config))
    for row in rows:
        typer.echo(
            f"{row.tool}\n"
            f"  binary    {row.path}\n"
            f"  version   {row.version}\n"
            f"  provider  {row.provider}\n"
            f"  unlocks   {row.unlocks}"
        )


@app.command("claims")
def show_claims(
    path: Annotated[Path, typer.Argument(help="claims table")] = Path("results/claims.csv"),
    status: Annotated[claims.Status | None, typer.Option(help="only these")] = None,
) -> None:
    """Show the paper's claims beside ours."""
    with one_line_errors():
        table = tables.read_table(path, claims.SCHEMA)
    typer.echo(claims.render(table, statuses=[status] if status else claims.STATUSES))


def _print_table(rows: list[list[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        typer.echo("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)))


if __name__ == "__main__":
    app()
