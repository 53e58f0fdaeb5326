/** What a program that the server starts is told of its surroundings: the server's own environment holds passwords. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, SystemRoot } = process.env
  return { PATH, HOME, LANG, SystemRoot }
}
