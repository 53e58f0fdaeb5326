import { createAlert, getAlert, listAlerts } from '@muster/contract/api/alerts'
import { listScripts } from '@muster/contract/api/scripts'
import { expect, test } from 'vitest'
import { givenCli } from './test-cli.ts'

test('alerts are listed and acknowledged with a note', async () => {
  await using cli = await givenCli()
  const { agent_id } = await cli.server.given.agent({ hostname: 'web-01' })
  const ada = cli.server.as(cli.ada)
  const body = { message: 'The disk is full', severity: 'error' as const, agent: agent_id }
  const { id } = (await ada.call(createAlert, { body })).body
  expect((await cli.run('alerts', 'list')).stdout).toMatch(
    new RegExp(`^ID .*\\n${id} +error +open +web-01 .*The disk is full`),
  )
  await expect(cli.run('alerts', 'ack', String(id), '--note', 'Cleaning up')).resolves.toEqual({
    code: 0,
    stdout: `Acknowledged alert ${id}: The disk is full\n`,
    stderr: '',
  })
  const alert = (await ada.call(getAlert, { params: { id } })).body
  expect(alert.state).toBe('acknowledged')
  expect(alert.log.map(({ text }) => text).join(' ')).toContain('Cleaning up')
  const json = await cli.run('alerts', 'list', '--json')
  expect(JSON.parse(json.stdout)).toEqual((await ada.call(listAlerts, { body: {} })).body.alerts)
  const again = await cli.run('alerts', 'ack', '999')
  expect(again).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/\(request [\w-]+\)\n$/) })
  expect(await cli.run('alerts', 'ack', 'first')).toMatchObject({ code: 2, stdout: '' })
})

test('scripts are listed', async () => {
  await using cli = await givenCli()
  await cli.server.given.script({ name: 'Clean the cache', description: 'Frees space' })
  expect((await cli.run('scripts', 'list')).stdout).toMatch(/\n\d+ +Clean the cache +shell +.*Frees space/)
  const json = await cli.run('scripts', 'list', '--json')
  const { body } = await cli.server.as(cli.ada).call(listScripts, { query: {} })
  expect(JSON.parse(json.stdout)).toEqual(body)
})
