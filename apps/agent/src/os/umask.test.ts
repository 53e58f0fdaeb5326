import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { changeFile } from '../remote/files/change-file.ts'
import { raw } from '../remote/files/test-files.ts'
import { openPty } from '../remote/terminal/open-pty.ts'
import { planShell } from '../remote/terminal/plan-shell.ts'
import { givenFolder } from '../testing/given.ts'
import { os } from './index.ts'
import { runTool } from './run-tool.ts'
import { keepFilesPrivate } from './umask.ts'
import { PATIENCE_MS } from '../../../../tools/patience.ts'

test("terminals, tools and new folders get the umask of the start, and the agent's own files stay private", async () => {
  const before = process.umask(0o022)
  onTestFinished(() => void process.umask(before))
  keepFilesPrivate()
  const folder = givenFolder()
  mkdirSync(join(folder, 'own'))
  expect(statSync(join(folder, 'own')).mode & 0o777).toBe(0o700)

  await changeFile(
    { change: 'make-folder', path: raw(join(folder, 'new')) },
    {
      dataFolder: join(folder, 'own'),
      networkMounts: new Set(),
    },
  )
  expect(statSync(join(folder, 'new')).mode & 0o777).toBe(0o755)

  const signal = new AbortController().signal
  const { stdout } = await runTool('sh', ['-c', 'umask'], { signal, timeoutMs: PATIENCE_MS })
  expect(stdout).toBe('0022\n')

  let shown = ''
  const { promise, resolve } = Promise.withResolvers<void>()
  const plan = await planShell({ shell: '/bin/sh' }, os)
  const pty = await openPty(
    { plan, marker: 'umask', size: { cols: 80, rows: 24 } },
    { onData: (bytes) => void (shown += bytes.toString()), onExit: () => resolve() },
  )
  pty.write(Buffer.from('umask; exit\n'), () => undefined)
  await promise
  expect(shown).toContain('0022')
})
