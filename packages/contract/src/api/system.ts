import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { Counts } from '../live-messages.ts'
import { MachineColumnChoices } from '../machine-columns.ts'
import {
  Color,
  DoubleClickAction,
  StartPage,
  TableTab,
  TerminalFontSize,
  TerminalTheme,
  TreeSort,
} from './users.ts'

export const DashInfo = z.object({
  trmm_version: z.string(),
  /** The same as `trmm_version`: the server does not check for newer releases. */
  latest_trmm_ver: z.string(),
  dash_info_color: Color,
  dash_positive_color: Color,
  dash_negative_color: Color,
  dash_warning_color: Color,
  loading_bar_color: Color,
  clear_search_when_switching: z.boolean(),
  start_page: StartPage,
  first_steps_hidden: z.boolean(),
  default_agent_tbl_tab: TableTab,
  client_tree_sort: TreeSort,
  client_tree_splitter: z.int(),
  dark_mode: z.boolean(),
  dbl_click_action: DoubleClickAction,
  url_action: z.int().nullable(),
  show_community_scripts: z.boolean(),
  hosted: z.boolean(),
  token_is_expired: z.boolean(),
  open_ai_integration_enabled: z.boolean(),
  run_cmd_placeholder_text: z.object({ cmd: z.string(), powershell: z.string(), shell: z.string() }),
  server_scripts_enabled: z.boolean(),
  web_terminal_enabled: z.boolean(),
  block_local_user_logon: z.boolean(),
  sso_enabled: z.boolean(),
  date_format: z.string(),
  default_date_format: z.string(),
  compact_rows: z.boolean(),
  show_agent_version: z.boolean(),
  agent_columns: MachineColumnChoices,
  /** The version of the agent that this server offers; null = the agent has not been built. */
  agent_version: z.string().nullable(),
  terminal_font_size: TerminalFontSize,
  terminal_theme: TerminalTheme,
  setup_open: z.boolean(),
  /** The address that install commands for machines contain. */
  agent_url: z.string(),
  /** Whether to ask this user if overdue servers should raise alerts. */
  ask_availability_alerts: z.boolean(),
  /** Machines that this user sees are in maintenance without an end: see listOpenMaintenance. */
  open_maintenance: z.boolean(),
  /** The last scheduled backup failed; false for users who may not view the settings of the server. */
  backup_failed: z.boolean(),
  /** The disk of the server is nearly full: it refuses changes. */
  read_only: z.boolean(),
})
export type DashInfo = z.infer<typeof DashInfo>

export const getDashInfo = endpoint({
  method: 'GET',
  path: '/core/dashinfo/',
  access: 'signed-in',
  summary: 'Get preferences and feature flags of the dashboard',
  response: DashInfo,
})

export const getVersion = endpoint({
  method: 'GET',
  path: '/core/version/',
  access: 'signed-in',
  summary: 'Get the version of the console that this server serves',
  response: z.string(),
})

export const getMachineCounts = endpoint({
  method: 'GET',
  path: '/core/counts/',
  access: 'signed-in',
  summary:
    'Count the machines that you see, as the live socket does; null for users who may not list machines',
  response: Counts.nullable(),
})

export const createSocketTicket = endpoint({
  method: 'POST',
  path: '/core/socket-ticket/',
  access: 'signed-in',
  withLowDisk: true,
  needsPerson: true,
  summary: 'Create a one-time ticket for a live socket, valid for 30 seconds',
  response: z.object({ ticket: z.string(), expires_in: z.int() }),
})

export const getHealth = endpoint({
  method: 'GET',
  path: '/health/',
  access: 'public',
  summary: 'Return 200 when the server is ready',
  response: z.object({ status: z.literal('ok') }),
})
