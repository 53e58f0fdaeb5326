import { spawn } from 'node:child_process'
import { chownSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { givenDisplay } from '../desktop/given-display.ts'
import { givenFolder } from '../testing/given.ts'
import { findPersonAt } from './person-at.ts'

const NOBODY = 65_534

test('issue 4, 1.3: who the key of a desktop belongs to is asked, not another user who names that desktop', async () => {
  // Only root may ask as somebody else; others ask as themselves.
  const isRoot = process.getuid?.() === 0
  const owner = isRoot ? 54_321 : undefined
  const key = join(givenFolder(), 'key')
  writeFileSync(key, '')
  if (owner !== undefined) chownSync(key, owner, owner)
  const display = await givenDisplay('320x200')
  givenProgram(isRoot ? NOBODY : undefined, { DISPLAY: display })
  givenProgram(owner, { DISPLAY: display, XAUTHORITY: key })
  const asked: string[] = []
  const findUser = async (name: string) => {
    asked.push(name)
    return { name, uid: 0, gid: 0, home: '/', shell: '/bin/sh' }
  }
  await findPersonAt({ findUser })
  expect(asked).toEqual(owner === undefined ? [] : [String(owner)])
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
