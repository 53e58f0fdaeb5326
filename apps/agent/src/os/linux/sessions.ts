import { closeSync, fstatSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'

/** The session of the signed-in user at systemd-logind: a graphical one first, then any other. */
export function findSession(root = '/'): { id: string; USER?: string } | undefined {
  const people = (readLogindSessions(`${root}run/systemd/sessions`) ?? []).filter(
    ({ CLASS, STATE }) => CLASS?.startsWith('user') !== false && STATE !== 'closing',
  )
  const graphical = people.find(({ TYPE }) => TYPE === 'x11' || TYPE === 'wayland')
  return graphical ?? people.find(({ ACTIVE }) => ACTIVE === '1') ?? people[0]
}

/** The signed-in user; null = none. */
export function findLoggedInUser(root = '/'): string | null {
  return findSession(root)?.USER ?? readLogins(`${root}run/utmp`, 65_536).at(-1)?.user ?? null
}

/** The user who signed in last, from the system's records. */
export function findLastUser(root = '/'): string | null {
  return readLogins(`${root}var/log/wtmp`, 65_536).at(-1)?.user ?? null
}

function readLogindSessions(folder: string): ({ id: string } & Record<string, string>)[] | undefined {
  try {
    return readdirSync(folder)
      .filter((name) => !name.includes('.'))
      .map((name) => ({ ...parseAssignments(readFileSync(`${folder}/${name}`, 'utf8')), id: name }))
  } catch {
    // No systemd, or the session has just ended.
    return undefined
  }
}

export function parseAssignments(text: string): Record<string, string> {
  const pairs = text.split('\n').flatMap((line) => {
    const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/.exec(line.trim()) ?? []
    return name === undefined || value === undefined ? [] : [[name, unquote(value)] as const]
  })
  return Object.fromEntries(pairs)
}

function unquote(value: string): string {
  const [, , inside] = /^(["'])(.*)\1$/.exec(value) ?? []
  return inside === undefined ? value : inside.replaceAll(/\\(.)/g, '$1')
}

/** Sign-ins from the last bytes of a utmp or wtmp file, oldest first. */
function readLogins(file: string, lastBytes: number): { user: string }[] {
  const bytes = readEnd(file, lastBytes)
  // There are two record lengths. The file size shows which one is used; x86 is the default.
  const recordBytes = process.arch === 'arm64' ? 400 : 384
  const logins: { user: string }[] = []
  const start = bytes.length % recordBytes
  for (let at = start; at + recordBytes <= bytes.length; at += recordBytes) {
    const user = text(bytes.subarray(at + 44, at + 76))
    if (bytes.readInt16LE(at) === USER_PROCESS && user !== '') logins.push({ user })
  }
  return logins
}

const USER_PROCESS = 7

function text(field: Buffer): string {
  const end = field.indexOf(0)
  return field.subarray(0, end === -1 ? field.length : end).toString()
}

function readEnd(file: string, lastBytes: number): Buffer {
  let fd: number
  try {
    fd = openSync(file, 'r')
  } catch {
    return Buffer.alloc(0)
  }
  try {
    const { size } = fstatSync(fd)
    const bytes = Buffer.alloc(Math.min(size, lastBytes))
    readSync(fd, bytes, 0, bytes.length, Math.max(0, size - bytes.length))
    return bytes
  } finally {
    closeSync(fd)
  }
}
