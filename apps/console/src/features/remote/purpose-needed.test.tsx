import '../../app/mantine-styles.ts'
import '../../app/global.css'
import { encodeChannelText } from '@muster/contract/agent/channel'
import { createSocketTicket } from '@muster/contract/api/core'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { expect, test } from 'vitest'
import { userEvent } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { createQueryClient } from '../../app/query-client.ts'
import { givenSession } from '../../app/test-console.tsx'
import { answer, fakeServer } from '../../app/test-server.ts'
import { theme } from '../../app/theme.ts'
import { TerminalPane } from './TerminalPane.tsx'
import { givenWindows } from './test-windows.ts'

const MESSAGE = 'Say why you open a terminal on "PC-12".'

test('issue 4, the story, why: the reason is asked for in place, and counts for the whole window', async () => {
  const sent: unknown[] = []
  givenWindows(
    (socket) => socket.end('purpose_needed', MESSAGE),
    (socket) => {
      sent.push(...socket.sent.map((text) => JSON.parse(text) as unknown))
      socket.tell(encodeChannelText(0, { type: 'asking', seconds: 30 }) as Uint8Array<ArrayBuffer>)
    },
  )
  givenSession({ token: 'token', username: 'ada' })
  const server = fakeServer()
  server.on(createSocketTicket, () => answer(createSocketTicket, { ticket: 'ticket', expires_in: 30 }))
  const screen = await render(
    <QueryClientProvider client={createQueryClient()}>
      <MantineProvider theme={theme}>
        <TerminalPane agentId="alpha0000000" hostname="PC-12" />
      </MantineProvider>
    </QueryClientProvider>,
  )
  const dialog = screen.getByRole('dialog', { name: 'Reason' })
  await expect.element(dialog.getByText(MESSAGE)).toBeVisible()
  await expect.element(dialog.getByRole('button', { name: 'Go on' })).toBeDisabled()
  await dialog.getByLabelText('Reason').fill(' Ticket 4711 ')
  await userEvent.keyboard('{Enter}')
  await expect.element(dialog).not.toBeInTheDocument()
  await expect.element(screen.getByText(/^Waiting for the person at PC-12 to allow it/)).toBeVisible()
  expect(sent).toMatchObject([{ type: 'hello', purpose: 'Ticket 4711', request: { tool: 'terminal' } }])
})
