import { spawn } from 'node:child_process'
import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SOCKETS } from './desktop/displays.ts'
import { givenDisplay } from './desktop/test-desktop.ts'
import { givenFolder } from '../testing/given.ts'
import { findDesktopUser } from './desktop-user.ts'

const UNCERTAIN = 'the owner of the desktop is not certain'
const NOBODY = 65_534
const PERSON = 54_321
// Only root may ask as another user.
const isRoot = process.getuid?.() === 0

async function userToAsk(sessions = givenFolder()): Promise<string | undefined> {
  const findUser = (name: string) => Promise.resolve({ name, uid: 0, gid: 0, home: '/', shell: '/bin/sh' })
  const person = await findDesktopUser({ findUser }, { sessions })
  return 'nobody' in person ? person.nobody : person.user?.name
}

/** A desktop that programs of two users claim, one of them with a key. */
async function givenDesktop(...args: string[]): Promise<string> {
  const display = await givenDisplay('320x200', args)
  givenProgram(isRoot ? NOBODY : undefined, { DISPLAY: display, XAUTHORITY: givenKey(NOBODY) })
  givenProgram(isRoot ? PERSON : undefined, { DISPLAY: display })
  return display
}

function givenKey(owner: number): string {
  const key = join(givenFolder(), 'key')
  writeFileSync(key, '')
  if (isRoot) chownSync(key, owner, owner)
  return key
}

test('the owner of the key or server of a desktop is asked, not a user whose programs name it', async () => {
  const display = await givenDesktop(`:${20_000 + (process.pid % 10_000)}`, '-auth', givenKey(PERSON))
  expect(await userToAsk()).toBe(isRoot ? String(PERSON) : undefined)
  if (!isRoot) return
  const own = await givenDesktop()
  expect(own).not.toBe(display)
  chownSync(join(SOCKETS, `X${own.slice(1)}`), PERSON, PERSON)
  expect(await userToAsk()).toBe(String(PERSON))
})

test('no user is asked if the owner of the desktop is uncertain; systemd may know the owner', async () => {
  const display = await givenDesktop()
  expect(await userToAsk()).toBe(isRoot ? UNCERTAIN : undefined)
  const sessions = givenFolder()
  expect(await userToAsk(join(sessions, 'missing'))).toBe(isRoot ? UNCERTAIN : undefined)
  mkdirSync(join(sessions, 'a folder'))
  const write = (file: string, text: string) => writeFileSync(join(sessions, file), text)
  write('c1', `# of logind\nUID=116\nCLASS=greeter\nSEAT=seat0\nDISPLAY=${display}\n`)
  write('1', `UID=${NOBODY}\nCLASS=user\nREMOTE=1\nDISPLAY=${display}\n`)
  write('2', `UID=${NOBODY}\nCLASS=user\nSEAT=seat0\nDISPLAY=:99\n`)
  expect(await userToAsk(sessions)).toBe(isRoot ? UNCERTAIN : undefined)
  write('3', `UID=${PERSON}\nUSER=x\nACTIVE=1\nCLASS=user\nSEAT=seat0\nTYPE=x11\nDISPLAY=${display}\n`)
  expect(await userToAsk(sessions)).toBe(isRoot ? String(PERSON) : undefined)
})

/** A program of this user. */
function givenProgram(user: number | undefined, env: Record<string, string>): void {
  const child = spawn('sleep', ['60'], {
    env: { ...env, PATH: process.env.PATH },
    cwd: '/',
    ...(user !== undefined && { uid: user, gid: user }),
  })
  onTestFinished(() => void child.kill())
}
