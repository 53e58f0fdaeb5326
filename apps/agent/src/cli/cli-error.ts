/** An error to print as one line on the command line. */
export class CliError extends Error {
  override name = 'CliError'
}
