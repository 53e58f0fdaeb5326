/** Something the person at the command line has to know, as one line. */
export class CliError extends Error {
  override name = 'CliError'
}
