import { createSocketTicket } from '@muster/contract/api/system'
import { getAgent } from '@muster/contract/api/agents'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { answer } from '../../../testing/test-server.ts'
import { givenDashboard, testDetail } from '../../dashboard/test-dashboard.ts'

test.each([
  ['/webvnc/alpha0000000/abc', 'Invalid port', 'Use a port from 1 to 65535, not “abc”.'],
  ['/webvnc/alpha0000000/0', 'Invalid port', 'Use a port from 1 to 65535, not “0”.'],
  ['/webvnc/alpha0000000/65536', 'Invalid port', 'Use a port from 1 to 65535, not “65536”.'],
  ['/webvnc/alpha0000000/-1', 'Invalid port', 'Use a port from 1 to 65535, not “-1”.'],
  ['/webvnc/alpha0000000/5.9e3', 'Invalid port', 'Use a port from 1 to 65535, not “5.9e3”.'],
  ['/webvnc/alpha0000000/5900?host=a%20b', 'Invalid host', 'Use a host name or an IPv4 address, not “a b”.'],
])('%s shows a final error and connects to nothing', async (path, title, sentence) => {
  const { server, open } = await givenDashboard()
  server.on(getAgent, () => answer(getAgent, testDetail()))
  await open(path)
  await expect.element(page.getByRole('heading', { name: title })).toBeVisible()
  await expect.element(page.getByRole('alert')).toHaveTextContent(sentence)
  await expect.element(page.getByText(/connecting/i)).not.toBeInTheDocument()
  expect(server.calls(getAgent)).toEqual([])
  expect(server.calls(createSocketTicket)).toEqual([])
})

test('/webvnc with a port connects', async () => {
  const { server, open } = await givenDashboard()
  server.on(getAgent, () => answer(getAgent, testDetail()))
  await open('/webvnc/alpha0000000/5900')
  await expect.element(page.getByText(/connecting/i)).toBeVisible()
})
