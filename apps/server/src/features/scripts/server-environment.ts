/** The environment of programs that the server starts: its own one contains passwords. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, SystemRoot } = process.env
  return { PATH, HOME, LANG, SystemRoot }
}
