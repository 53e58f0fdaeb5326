import '../../../app/mantine-styles.ts'
import '../../../app/global.css'
import { encodeChannelText } from '@muster/contract/agent/channel'
import { createSocketTicket } from '@muster/contract/api/system'
import { getHistoryOutput } from '@muster/contract/api/runs'
import { installSoftware } from '@muster/contract/api/software'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from '../../../ui/test-render.ts'
import { createQueryClient } from '../../../app/api/query-client.ts'
import { givenSession } from '../../../testing/test-console.tsx'
import { givenFrame } from '../../../testing/test-frame.ts'
import { answer } from '../../../testing/test-server.ts'
import { theme } from '../../../app/theme.ts'
import { testDetail } from '../../dashboard/test-dashboard.ts'
import { testRun } from '../../runs/test-run.ts'
import { givenWindows } from '../test-windows.ts'
import { DesktopWindow } from './DesktopWindow.tsx'

const NONE = 'No VNC server is installed on this machine, so its desktop cannot be shown: it needs x11vnc.'
const button = (name: string) => page.getByRole('button', { name, exact: true })

/** The installation ends like this. */
async function openWindow(end: Parameters<typeof testRun>[0], text: string) {
  givenSession({ token: 'token', username: 'ada' })
  const server = givenFrame()
  server.on(createSocketTicket, () => answer(createSocketTicket, { ticket: 'ticket', expires_in: 30 }))
  const run = testRun({ id: 7, type: 'package_install', command: 'Install the package x11vnc' })
  server.on(installSoftware, () => answer(installSoftware, run))
  server.on(getHistoryOutput, () =>
    answer(getHistoryOutput, {
      history: { ...run, started_at: run.time, finished_at: run.time, ...end },
      chunks: [{ seq: 1, stream: 'stdout', text }],
    }),
  )
  await render(
    <QueryClientProvider client={createQueryClient()}>
      <MantineProvider theme={theme}>
        <DesktopWindow agent={testDetail()} />
      </MantineProvider>
    </QueryClientProvider>,
  )
  return server
}

test('the VNC server is installed on request, and the desktop opens', async () => {
  givenWindows(
    (socket) => socket.end('no_vnc_server', NONE),
    (socket) =>
      socket.deliver(encodeChannelText(0, { type: 'asking', seconds: 30 }) as Uint8Array<ArrayBuffer>),
  )
  const server = await openWindow({ state: 'done', retcode: 0 }, 'Setting up x11vnc\n')
  await expect.element(page.getByText(NONE)).toBeVisible()
  await button('Install x11vnc').click()
  await expect.element(page.getByRole('heading', { name: 'Install x11vnc on alpha?' })).toBeVisible()
  await button('Install').click()
  await expect.element(page.getByRole('region', { name: 'Output' })).toHaveTextContent('Setting up x11vnc')
  expect(server.calls(installSoftware)[0]?.body).toEqual({
    name: 'x11vnc',
    alternatives: ['tigervnc-scraping-server'],
  })
  await button('Open desktop').click()
  await expect.element(page.getByText(/^Waiting for consent at the machine/)).toBeVisible()
})

test('an installation that fails says why, with its output, and opens nothing', async () => {
  givenWindows((socket) => socket.end('no_vnc_server', NONE))
  const reason = 'This machine knows no package x11vnc.'
  await openWindow({ state: 'failed', retcode: 1, reason }, 'E: no such\n')
  await button('Install x11vnc').click()
  await button('Install').click()
  await expect.element(page.getByText('This machine knows no package x11vnc.')).toBeVisible()
  await expect.element(page.getByRole('region', { name: 'Output' })).toHaveTextContent('E: no such')
  expect(button('Open desktop').query()).toBeNull()
})
