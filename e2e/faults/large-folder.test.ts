import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { listFolder } from '@muster/contract/api/files'
import { expect, test } from 'vitest'
import { residentMb } from '../load/process-figures.ts'
import { mountSmallDisk } from '../support/small-disk.ts'
import { raw } from './moving-files.ts'
import { openFaultSetup } from './fault-setup.ts'

const ENTRIES = 100_000

test('a very large folder is listed and searched in pages, with memory for one page', async () => {
  await using setup = await openFaultSetup()
  await using disk = await mountSmallDisk()
  const { session, params, agent, server } = setup
  await promisify(execFile)('sh', ['-c', `seq -f f%07.0f ${ENTRIES} | xargs touch`], { cwd: disk.path })
  const list = (query: { after?: string; search?: string } = {}) =>
    session.call(listFolder, { params, query: { path: raw(disk.path), search: '', ...query } })
  await session.call(listFolder, { params, query: {} })
  const before = [agent, server].map(({ pid }) => residentMb(pid))
  const first = await list()
  expect([first.total, first.entries.length, first.entries[0]?.name]).toEqual([ENTRIES, 500, 'f0000001'])
  expect((await list({ after: first.next ?? '' })).entries[0]?.name).toBe('f0000501')
  const found = await list({ search: '99999' })
  expect(found.entries.map(({ name }) => name)).toEqual(['f0099999'])
  const grown = [agent, server].map(({ pid }, index) => residentMb(pid) - (before[index] ?? 0))
  // A name with its place takes more than 100 bytes: all of them at once would be 10 MB of them alone, in each.
  expect(grown.every((megabytes) => megabytes < 40)).toBe(true)
})
