import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { givenFolder } from '../../testing/given.ts'
import { findLastUser, findLoggedInUser } from './sessions.ts'

function write(root: string, name: string, content: string | Buffer): void {
  mkdirSync(dirname(join(root, name)), { recursive: true })
  writeFileSync(join(root, name), content)
}

const session = (user: string, more: string) => `# private\nUID=1000\nUSER=${user}\n${more}\n`

/** A record of utmp and wtmp in this processor's layout. */
function record(type: number, user: string): Buffer {
  const bytes = Buffer.alloc(process.arch === 'arm64' ? 400 : 384)
  bytes.writeInt16LE(type, 0)
  bytes.write(user, 44)
  return bytes
}

test('a user at the screen comes before one who is connected with ssh', () => {
  const root = `${givenFolder()}/`
  write(
    root,
    'run/systemd/sessions/3',
    session('ssh-user', 'ACTIVE=1\nSTATE=active\nTYPE=tty\nCLASS=user\nREMOTE=1'),
  )
  write(root, 'run/systemd/sessions/3.ref', '')
  write(root, 'run/systemd/sessions/4', session('anna', 'ACTIVE=1\nSTATE=active\nTYPE=wayland\nCLASS=user'))
  write(root, 'run/systemd/sessions/c1', session('gdm', 'ACTIVE=1\nSTATE=active\nTYPE=x11\nCLASS=greeter'))
  expect(findLoggedInUser(root)).toBe('anna')
})

test('no user is signed in while the greeter is shown', () => {
  const root = `${givenFolder()}/`
  write(root, 'run/systemd/sessions/c1', session('gdm', 'ACTIVE=1\nSTATE=active\nTYPE=x11\nCLASS=greeter'))
  expect(findLoggedInUser(root)).toBe(null)
})

test('without systemd the sign-in records are read', () => {
  const root = `${givenFolder()}/`
  write(root, 'run/utmp', Buffer.concat([record(2, 'reboot'), record(7, 'bob'), record(8, 'eve')]))
  write(root, 'var/log/wtmp', Buffer.concat([record(7, 'carol'), record(8, ''), record(2, 'reboot')]))
  expect([findLoggedInUser(root), findLastUser(root)]).toEqual(['bob', 'carol'])
})

test('a machine without records has no users', () => {
  const root = `${givenFolder()}/`
  expect([findLoggedInUser(root), findLastUser(root)]).toEqual([null, null])
})
