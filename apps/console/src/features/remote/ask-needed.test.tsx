import '../../app/mantine-styles.ts'
import '../../app/global.css'
import { encodeChannelText } from '@muster/contract/agent/channel'
import { createSocketTicket } from '@muster/contract/api/system'
import { confirmSession } from '@muster/contract/api/sessions'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { render } from '../../ui/test-render.ts'
import { createQueryClient } from '../../app/api/query-client.ts'
import { givenSession } from '../../testing/test-console.tsx'
import { answer, fakeServer, refuse } from '../../testing/test-server.ts'
import { theme } from '../../app/theme.ts'
import { TerminalPane } from './TerminalPane.tsx'
import { givenWindows } from './test-windows.ts'

const REASON = 'Your role asks for a code of your authenticator app before a terminal is opened.'

async function openTab(shown: ReactNode = <TerminalPane agentId="alpha0000000" hostname="PC-12" />) {
  givenSession({ token: 'token', username: 'ada' })
  const server = fakeServer()
  server.on(createSocketTicket, () => answer(createSocketTicket, { ticket: 'ticket', expires_in: 30 }))
  const screen = await render(
    <QueryClientProvider client={createQueryClient()}>
      <MantineProvider theme={theme}>{shown}</MantineProvider>
    </QueryClientProvider>,
  )
  return { server, screen }
}

test('the code is asked for in place, a wrong one is shown, and the terminal continues', async () => {
  givenWindows(
    (socket) => socket.end('code_needed', REASON),
    (socket) =>
      socket.deliver(encodeChannelText(0, { type: 'asking', seconds: 30 }) as Uint8Array<ArrayBuffer>),
  )
  const { server, screen } = await openTab()
  const codes: unknown[] = []
  server.on(confirmSession, ({ body }) => {
    codes.push(body)
    if (codes.length === 1) return refuse('invalid', 'This code was used. Wait for the next one (12 s).')
    return answer(confirmSession, { until: '2026-11-22T19:00:00.000Z' })
  })
  const dialog = screen.getByRole('dialog', { name: 'Enter your code' })
  await expect.element(dialog.getByText(REASON)).toBeVisible()
  await dialog.getByLabelText('Code').fill('111111')
  await expect.element(dialog.getByText('This code was used. Wait for the next one (12 s).')).toBeVisible()
  await dialog.getByLabelText('Code').fill('222222')
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(screen.getByText('Waiting for consent at PC-12, up to 30 seconds …')).toBeVisible()
  expect(codes).toEqual([{ twofactor: '111111' }, { twofactor: '222222' }])
})

test('without a code the window shows the reason and a retry button', async () => {
  givenWindows(
    (socket) => socket.end('code_needed', REASON),
    (socket) => socket.end('refused', 'The person at the machine refused.'),
  )
  const { screen } = await openTab()
  await screen.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await expect.element(screen.getByRole('status').getByText(REASON)).toBeVisible()
  await screen.getByRole('button', { name: 'New terminal' }).click()
  await expect.element(screen.getByText('The person at the machine refused.')).toBeVisible()
})

test('the reason is asked for in place, and applies to the whole window', async () => {
  const message = 'Say why you open a terminal on "PC-12".'
  const sent: unknown[] = []
  givenWindows(
    (socket) => socket.end('purpose_needed', message),
    (socket) => {
      sent.push(...socket.sent.map((text) => JSON.parse(text) as unknown))
      socket.deliver(encodeChannelText(0, { type: 'asking', seconds: 30 }) as Uint8Array<ArrayBuffer>)
    },
  )
  const { screen } = await openTab()
  const dialog = screen.getByRole('dialog', { name: 'Reason' })
  await expect.element(dialog.getByText(message)).toBeVisible()
  await expect.element(dialog.getByRole('button', { name: 'Continue' })).toBeDisabled()
  await dialog.getByLabelText('Reason').fill(' Ticket 4711 ')
  await userEvent.keyboard('{Enter}')
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(screen.getByText(/^Waiting for consent at PC-12/)).toBeVisible()
  expect(sent).toMatchObject([{ type: 'hello', purpose: 'Ticket 4711', request: { tool: 'terminal' } }])
})

test('several terminals opened together ask for the reason once', async () => {
  const sent: unknown[] = []
  type Opened = Parameters<Parameters<typeof givenWindows>[0]>[0]
  const refuseIt = (socket: Opened) => socket.end('purpose_needed', 'Say why.')
  const ask = (socket: Opened) => {
    sent.push(...socket.sent.map((text) => JSON.parse(text) as unknown))
    socket.deliver(encodeChannelText(0, { type: 'asking', seconds: 30 }) as Uint8Array<ArrayBuffer>)
  }
  givenWindows(refuseIt, refuseIt, ask, ask)
  const { screen } = await openTab(
    <>
      <TerminalPane agentId="beta00000000" hostname="PC-13" />
      <TerminalPane agentId="gamma0000000" hostname="PC-14" />
    </>,
  )
  const dialogs = screen.getByRole('dialog', { name: 'Reason' })
  const ended = screen.getByRole('button', { name: 'New terminal', includeHidden: true })
  await expect.poll(() => ended.elements().length).toBe(2)
  await expect.poll(() => dialogs.elements().length).toBe(1)
  await dialogs.getByLabelText('Reason').fill('Ticket 4712')
  await userEvent.keyboard('{Enter}')
  await expect.element(dialogs).not.toBeInTheDocument()
  await expect.poll(() => sent).toMatchObject([{ purpose: 'Ticket 4712' }, { purpose: 'Ticket 4712' }])
})
