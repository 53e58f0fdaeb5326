import { writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type InstalledPackage,
  MAX_PACKAGES,
  MAX_SOFTWARE_BYTES,
  SoftwareReport,
} from '@muster/contract/agent/software'
import { expect, test } from 'vitest'
import { MeasureError } from '../errors.ts'
import { os } from '../os/index.ts'
import { givenAgent, givenFolder } from '../testing/given.ts'
import { givenApt } from '../testing/given-apt.ts'
import { givenPrograms } from '../testing/given-programs.ts'
import { makeSoftwareReport } from '../cli/reports.ts'
import { type ReadSoftware, readSoftwareInChildProcess } from './child-reports.ts'

const AGENT = [process.execPath, resolve(import.meta.dirname, '../main.ts')]
const signal = new AbortController().signal

const known = (name: string, more: Partial<InstalledPackage> = {}): InstalledPackage => ({
  name,
  version: '1.0',
  publisher: '',
  source: 'dpkg',
  size: null,
  install_date: null,
  uninstall: null,
  ...more,
})

test('the hash ignores the order of packages and depends on versions', () => {
  const report = makeSoftwareReport([known('b'), known('a'), known('a')])
  expect(report.inventory.packages.map(({ name }) => name)).toEqual(['a', 'b'])
  expect(makeSoftwareReport([known('a'), known('b')]).hash).toBe(report.hash)
  expect(makeSoftwareReport([known('a', { version: '1.1' }), known('b')]).hash).not.toBe(report.hash)
})

test('a machine with too much software reports what fits and counts the rest', () => {
  const many = Array.from({ length: MAX_PACKAGES + 7 }, (_, index) => known(`p${index}`))
  expect(makeSoftwareReport(many).inventory).toMatchObject({ left_out: 7 })
  const long = many.map((one) => ({
    ...one,
    name: `${one.name}${'日'.repeat(900)}`,
    publisher: 'y\n'.repeat(900),
  }))
  const report = makeSoftwareReport(long)
  expect(SoftwareReport.parse(report)).toEqual(report)
  expect(Buffer.byteLength(JSON.stringify(report))).toBeLessThan(MAX_SOFTWARE_BYTES + 200)
  expect(report.inventory.left_out + report.inventory.packages.length).toBe(long.length)
})

test('a child process lists the software, and reports an error as a message', async () => {
  const line = `install ok installed\\tadduser\\tall\\t3.134\\t686\\t1747699200\\tDebian <a@b>\\n`
  givenPrograms({ 'dpkg-query': `printf '${line}'`, rpm: 'true', 'apt-get': 'true' })
  const read = readSoftwareInChildProcess(AGENT)
  const all = await read('all', signal)
  const report = SoftwareReport.parse(JSON.parse(all.report))
  expect(all.summary).toEqual({ hash: report.hash, count: 1 })
  expect(report.inventory?.packages).toMatchObject([{ name: 'adduser', publisher: 'Debian' }])
  const scanned = await read('hash', signal)
  expect(scanned.summary).toEqual(all.summary)
  expect(JSON.parse(scanned.report)).toEqual({ kind: 'software', hash: report.hash, inventory: null })
  givenPrograms({ 'dpkg-query': 'echo "the status file is locked" >&2; exit 2' })
  await expect(read('all', signal)).rejects.toThrow(
    new MeasureError('dpkg-query failed to list the software: the status file is locked'),
  )
})

test('newer versions of the real apt are marked in the software list', async () => {
  const apt = givenApt([
    { name: 'muster-hello', version: '1.0' },
    { name: 'muster-same', version: '1.0' },
  ])
  apt.offer({ name: 'muster-hello', version: '2.0' }, { name: 'muster-same', version: '1.0' })
  apt.update()
  const { report } = await readSoftwareInChildProcess(AGENT)('all', signal)
  const { inventory } = SoftwareReport.parse(JSON.parse(report))
  expect(inventory).toMatchObject({ managers: expect.arrayContaining(['apt']) })
  expect(inventory?.packages.map(({ name, version, available }) => [name, version, available])).toEqual([
    ['muster-hello', '1.0', '2.0'],
    ['muster-same', '1.0', undefined],
  ])
})

/** A machine with `installed` software, and a file that changes with it. */
function givenSoftware() {
  const place = join(givenFolder(), 'status')
  const machine = { place, installed: [known('a')], reads: 0 }
  writeFileSync(place, '')
  const readSoftware: ReadSoftware = async (much) => {
    machine.reads += 1
    const report = makeSoftwareReport(machine.installed)
    return {
      summary: { hash: report.hash, count: report.inventory.packages.length },
      report: JSON.stringify(much === 'all' ? report : { ...report, inventory: null }),
    }
  }
  const agent = {
    os: { ...os, softwarePaths: () => [place, '/no/such'] },
    readSoftware,
    firstSoftwareScanMs: 1,
    softwarePollMs: 20,
  }
  return { machine, agent }
}

test('a scan at the start reports only the hash, and the list follows on request', async () => {
  const { machine, agent } = givenSoftware()
  const { server } = await givenAgent({ agent })
  const reports = () => server.reports.filter((report) => report.kind === 'software')
  await server.until(() => reports().length === 1)
  const { hash } = makeSoftwareReport(machine.installed)
  expect(reports()[0]).toEqual({ kind: 'software', hash, inventory: null })
  server.command(server.sign('report-software', {}))
  await server.until(() => server.frames.some((frame) => frame.type === 'reply'))
  expect(server.frames.find((frame) => frame.type === 'reply')).toMatchObject({
    refused: null,
    answer: { hash, count: 1 },
  })
  expect(reports().at(-1)).toMatchObject({ hash, inventory: { packages: [{ name: 'a' }], left_out: 0 } })
})

test('later installations are detected by the watched files once they are stable', async () => {
  const { machine, agent } = givenSoftware()
  const { server } = await givenAgent({ agent })
  const hashes = () => server.reports.flatMap((report) => (report.kind === 'software' ? [report.hash] : []))
  await server.until(() => hashes().length === 1)
  machine.installed = [known('a'), known('b')]
  writeFileSync(machine.place, 'b')
  await server.until(() => hashes().length === 2)
  expect(hashes()[1]).toBe(makeSoftwareReport(machine.installed).hash)
  expect(machine.reads).toBe(2)
})

test('a machine without a software list reports that on request, and has no problem', async () => {
  const { server, agent, lines } = await givenAgent({ agent: { firstSoftwareScanMs: 1 } })
  server.command(server.sign('report-software', {}))
  await server.until(() => server.frames.some((frame) => frame.type === 'reply'))
  expect(server.frames.find((frame) => frame.type === 'reply')).toMatchObject({
    refused: 'Nothing is listed here.',
  })
  await server.until(() => lines.some(({ message }) => message === 'no software list'))
  expect(agent.problems.list()).toEqual([])
})
