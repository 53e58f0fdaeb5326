import type { DashInfo } from '@muster/contract/api/system'
import type { Me } from '@muster/contract/api/users'
import type { LiveMessage } from '@muster/contract/live-messages'
import { PERMISSIONS } from '@muster/contract/permissions'
import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider, createMemoryHistory } from '@tanstack/react-router'
import { useLayoutEffect } from 'react'
import { onTestFinished, vi } from 'vitest'
import { render } from '../ui/test-render.ts'
import { NotificationArea } from '../app/shell/NotificationArea.tsx'
import { dismiss, holdNotification, type Notification, useNotifications } from '../app/shell/notify.ts'
import { followSession } from '../app/session/follow-session.ts'
import { createQueryClient } from '../app/api/query-client.ts'
import { createConsoleRouter } from '../app/router.tsx'
import { clearSignIn, storeSignIn, takeNext } from '../app/session/session.ts'
import { cssVariables, theme } from '../app/theme.ts'

/** The whole console at an address, without the address bar and without a live link. */
export async function openConsole(path: string) {
  vi.stubGlobal('WebSocket', spoken === undefined ? SilentSocket : TalkingSocket)
  onTestFinished(() => {
    vi.unstubAllGlobals()
  })
  const queryClient = createQueryClient()
  const router = createConsoleRouter(queryClient, createMemoryHistory({ initialEntries: [path] }))
  followSession(router, queryClient)
  const screen = await render(
    <QueryClientProvider client={queryClient}>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables}>
        <RouterProvider router={router} />
        <NotificationArea />
        <KeptNotifications />
      </MantineProvider>
    </QueryClientProvider>,
  )
  return { screen, router, queryClient, at: () => router.state.location.href }
}

/**
 * Keeps notifications until the end of the test: on a busy machine one that stays for two seconds can pass unseen. They
 * cover nothing that a test clicks, but for their own buttons.
 */
function KeptNotifications() {
  const style =
    '[data-position] > [data-tone] { pointer-events: none } [data-tone] button { pointer-events: auto }'
  return (
    <>
      <style>{style}</style>
      {useNotifications().map((notification) => (
        <Kept key={notification.id} notification={notification} />
      ))}
    </>
  )
}

function Kept({ notification }: { notification: Notification }) {
  const { id } = notification
  useLayoutEffect(() => holdNotification(id), [id, notification])
  useLayoutEffect(() => () => dismiss(id), [id])
  return null
}

let spoken: readonly LiveMessage[] | undefined

/** Consoles that are opened from now on have a live link that says this. The server must answer tickets. */
export function givenLive(messages: readonly LiveMessage[]): void {
  spoken = messages
  onTestFinished(() => {
    spoken = undefined
  })
}

/** A session in storage, or none. */
export function givenSession(
  signIn: { token: string; username: string; name?: string | null } | undefined,
): void {
  clearSignIn()
  takeNext()
  if (signIn !== undefined) storeSignIn({ name: null, ...signIn })
}

export const givenMe = (more: Partial<Me> = {}): Me => ({
  id: 1,
  username: 'ada',
  name: null,
  is_superuser: true,
  permissions: [...PERMISSIONS],
  totp: true,
  totp_may_wait: false,
  passkeys: 0,
  recovery_codes: 10,
  password_min_length: 10,
  ...more,
})

export const givenDashInfo = (more: Partial<DashInfo> = {}): DashInfo => ({
  trmm_version: '0.1.0',
  latest_trmm_ver: '0.1.0',
  dash_info_color: 'info',
  dash_positive_color: 'positive',
  dash_negative_color: 'negative',
  dash_warning_color: 'warning',
  loading_bar_color: 'red',
  clear_search_when_switching: true,
  start_page: 'dashboard',
  first_steps_hidden: true,
  default_agent_tbl_tab: 'mixed',
  client_tree_sort: 'alphafail',
  client_tree_splitter: 20,
  dark_mode: true,
  dbl_click_action: 'editagent',
  url_action: null,
  show_community_scripts: true,
  hosted: false,
  token_is_expired: false,
  open_ai_integration_enabled: false,
  run_cmd_placeholder_text: { cmd: '', powershell: '', shell: '' },
  server_scripts_enabled: false,
  web_terminal_enabled: false,
  block_local_user_logon: false,
  sso_enabled: false,
  date_format: 'MMM-DD-YYYY - HH:mm',
  default_date_format: 'MMM-DD-YYYY - HH:mm',
  compact_rows: true,
  agent_columns: [],
  show_agent_version: false,
  agent_version: '0.1.0',
  terminal_font_size: 13,
  terminal_theme: 'dark',
  setup_open: true,
  agent_url: 'https://muster.example:8420',
  ask_availability_alerts: false,
  open_maintenance: false,
  backup_failed: false,
  read_only: false,
  ...more,
})

/** A socket that never opens: these tests are not about the live link. */
class SilentSocket extends EventTarget {
  static readonly CONNECTING = 0
  static readonly OPEN = 1
  readyState = 0
  send(_text?: string): void {}
  close(): void {}
}

class TalkingSocket extends SilentSocket {
  constructor() {
    super()
    queueMicrotask(() => {
      this.readyState = TalkingSocket.OPEN
      this.dispatchEvent(new Event('open'))
    })
  }
  override send(text?: string): void {
    const isHello = text?.includes('hello') === true
    const messages: readonly LiveMessage[] = isHello
      ? [{ type: 'ready', version: '0.1.0' }, ...(spoken ?? [])]
      : []
    const said = isHello ? messages.map((message) => JSON.stringify(message)) : ['pong']
    for (const data of said) {
      queueMicrotask(() => this.dispatchEvent(new MessageEvent('message', { data })))
    }
  }
}
