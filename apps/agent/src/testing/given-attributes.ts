import { execFileSync } from 'node:child_process'
import { onTestFinished } from 'vitest'

export const ACCESS_LIST = 'system.posix_acl_access'
export const DEFAULT_ACCESS_LIST = 'system.posix_acl_default'

/** Sets extended attributes of a file, for which Node has no call. Values are hexadecimal. */
export function setAttributes(path: string, values: Record<string, string>): void {
  const lines = ['import json, os, sys', 'for name, value in json.loads(sys.argv[2]).items():']
  python([...lines, '  os.setxattr(sys.argv[1], name, bytes.fromhex(value))'], path, JSON.stringify(values))
}

export function readAttributes(path: string): Record<string, string> {
  const lines = ['import json, os, sys', 'path = sys.argv[1]', 'names = os.listxattr(path)']
  const text = python([...lines, 'print(json.dumps({n: os.getxattr(path, n).hex() for n in names}))'], path)
  // Printed by the line above.
  return JSON.parse(text) as Record<string, string>
}

/** An access list with the owner (rw), the user of this number (rw), the group (r), a mask (rw) and no others. */
export function accessListFor(user: number): string {
  const none = 0xff_ff_ff_ff
  const entries = [[1, 6, none], [2, 6, user], [4, 4, none], [0x10, 6, none], [0x20, 0, none]] as const // prettier-ignore
  const list = Buffer.alloc(4 + entries.length * 8)
  list.writeUInt32LE(2)
  for (const [at, [tag, permissions, id]] of entries.entries()) {
    list.writeUInt16LE(tag, 4 + at * 8)
    list.writeUInt16LE(permissions, 6 + at * 8)
    list.writeUInt32LE(id, 8 + at * 8)
  }
  return list.toString('hex')
}

/** Sets an attribute such as `i` with chattr. Returns false without the permission to do so. */
export function givenFlag(path: string, flag: string): boolean {
  if (process.getuid?.() !== 0) return false
  execFileSync('chattr', [`+${flag}`, path])
  onTestFinished(() => void execFileSync('chattr', [`-${flag}`, path]))
  return true
}

function python(lines: string[], ...args: string[]): string {
  return execFileSync('python3', ['-c', lines.join('\n'), ...args], { encoding: 'utf8' })
}
