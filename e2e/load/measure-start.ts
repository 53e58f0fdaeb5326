import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Program, ROOT } from '../support/program.ts'
import type { Figure } from './budgets.ts'
import { median } from './figures.ts'

const STARTS = 5

/** `npm start` with everything built, from its start until it listens. The first start creates the database. */
export async function measureStart(): Promise<Figure[]> {
  const dataFolder = await mkdtemp(join(tmpdir(), 'muster start '))
  const seconds: number[] = []
  try {
    for (let count = 0; count < STARTS; count++) {
      const startedMs = performance.now()
      await using program = new Program(process.execPath, [join(ROOT, 'deploy/start.mjs')], {
        env: { ...process.env, MUSTER_DATA: dataFolder, MUSTER_PORT: '0' },
      })
      await program.waitForLine(/^muster listening on (\S+)$/)
      seconds.push((performance.now() - startedMs) / 1000)
      await program.stop('SIGTERM')
    }
  } finally {
    await rm(dataFolder, { recursive: true, force: true })
  }
  const spread = [Math.min(...seconds), Math.max(...seconds)].map((value) => value.toFixed(1)).join(' to ')
  return [{ budget: 'start', value: median(seconds), remark: `${spread} s` }]
}
