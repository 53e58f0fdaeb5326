import { readFileSync } from 'node:fs'

/** The users of a file like /etc/passwd; those of a directory service are not in it. */
export function readUsers(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8').split('\n')
  return Object.fromEntries(
    lines.flatMap((line) => {
      const [name = '', , uid, gid, , home, shell] = line.split(':')
      return shell === undefined ? [] : [[name, `${uid}:${gid}, ${home}, ${shell}`]]
    }),
  )
}
