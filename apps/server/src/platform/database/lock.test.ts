import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { afterEach, expect, test } from 'vitest'
import { lockDataFolder } from './lock.ts'

const folders: string[] = []
const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) await kill(child)
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-lock-'))
  folders.push(folder)
  return folder
}

/** Starts a process that takes and holds the lock. Returns it with its first line of output. */
async function startHolder(folder: string): Promise<{ child: ChildProcess; line: string }> {
  const lock = pathToFileURL(join(import.meta.dirname, 'lock.ts')).href
  const program = `
    import { lockDataFolder } from ${JSON.stringify(lock)}
    try { lockDataFolder(${JSON.stringify(folder)}); console.log('locked'); setInterval(() => {}, 1000) }
    catch (error) { console.log(error.message) }`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  if (child.stdout === null) throw new Error('the output is a pipe')
  const [line] = await once(createInterface(child.stdout), 'line')
  return { child, line: String(line) }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

test('a second server on the same data folder names the process that uses it, also after kill -9 of others', async () => {
  const folder = newFolder()
  for (let round = 0; round < 3; round++) {
    const holder = await startHolder(folder)
    expect(holder.line).toBe('locked')
    const second = await startHolder(folder)
    expect(second.line).toBe(`another Muster server (process ${holder.child.pid}) is using ${folder}`)
    expect(() => lockDataFolder(folder)).toThrow(`(process ${holder.child.pid})`)
    await kill(holder.child)
  }
  using lock = lockDataFolder(folder)
  expect(lock).toBeDefined()
})

test('one of ten concurrent processes gets the folder', async () => {
  const folder = newFolder()
  const holders = await Promise.all(Array.from({ length: 10 }, () => startHolder(folder)))
  expect(holders.filter(({ line }) => line === 'locked')).toHaveLength(1)
})

test('within one process the lock is held until it is disposed', () => {
  const folder = join(newFolder(), 'not', 'made', 'yet')
  {
    using _lock = lockDataFolder(folder)
    expect(() => lockDataFolder(folder)).toThrow(
      `another Muster server (process ${process.pid}) is using ${folder}`,
    )
    unlinkSync(join(folder, 'muster.pid'))
    expect(() => lockDataFolder(folder)).toThrow(`another Muster server is using ${folder}`)
  }
  lockDataFolder(folder)[Symbol.dispose]()
})

test('an unusable data folder is explained', () => {
  const file = join(newFolder(), 'file')
  writeFileSync(file, '')
  expect(() => lockDataFolder(file)).toThrow(`the data folder ${file} cannot be used: `)
})
