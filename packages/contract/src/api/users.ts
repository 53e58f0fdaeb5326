import { z } from 'zod'
import { findColor } from '@muster/rules/text/colors'
import { endpoint } from '../endpoint.ts'
import { MonitoringType } from '../fields.ts'
import { MachineColumnChoices } from '../machine-columns.ts'
import { PERMISSIONS } from '../permissions.ts'

export const DoubleClickAction = z.enum(['editagent', 'takecontrol', 'remotebg', 'urlaction'])
export const TableTab = z.enum([...MonitoringType.options, 'mixed'])
export type TableTab = z.infer<typeof TableTab>
/** The page that a new window and a sign-in open. */
export const StartPage = z.enum(['dashboard', 'overview'])
export const TreeSort = z.enum(['alphafail', 'alpha'])
/** A palette name with or without a shade, one of the four theme colours, or `#rrggbb`. */
export const Color = z
  .string()
  .trim()
  .max(40)
  .refine((text) => findColor(text) !== undefined, 'Use a colour name or #rrggbb.')

/** Terminal colours. */
export const TerminalTheme = z.enum(['dark', 'light', 'black', 'blue', 'sand'])
export type TerminalTheme = z.infer<typeof TerminalTheme>
/** In pixels. */
export const TERMINAL_FONT_SIZES = { least: 8, most: 32 } as const
export const TerminalFontSize = z.int().min(TERMINAL_FONT_SIZES.least).max(TERMINAL_FONT_SIZES.most)

/** Console preferences of a user. */
export const Preferences = z.object({
  start_page: StartPage,
  /** The user has hidden the first steps on the overview. */
  first_steps_hidden: z.boolean(),
  dark_mode: z.boolean(),
  show_community_scripts: z.boolean(),
  agent_dblclick_action: DoubleClickAction,
  url_action: z.int().nullable(),
  default_agent_tbl_tab: TableTab,
  client_tree_sort: TreeSort,
  client_tree_splitter: z.int().min(5).max(80),
  loading_bar_color: Color,
  dash_info_color: Color,
  dash_positive_color: Color,
  dash_negative_color: Color,
  dash_warning_color: Color,
  clear_search_when_switching: z.boolean(),
  date_format: z.string().max(60),
  compact_rows: z.boolean(),
  /** A column of the table of machines. */
  show_agent_version: z.boolean(),
  /** Columns of the table of machines where no view is open. */
  agent_columns: MachineColumnChoices,
  terminal_font_size: TerminalFontSize,
  terminal_theme: TerminalTheme,
})
export type Preferences = z.infer<typeof Preferences>

export const savePreferences = endpoint({
  method: 'PATCH',
  path: '/accounts/users/ui/',
  access: 'signed-in',
  withLowDisk: true,
  summary: "Save some of the caller's console preferences",
  body: Preferences.partial(),
  response: Preferences,
})

export const Me = z.object({
  id: z.int(),
  username: z.string(),
  name: z.string().nullable(),
  is_superuser: z.boolean(),
  permissions: z.array(z.enum(PERMISSIONS)),
  totp: z.boolean(),
  totp_may_wait: z.boolean(),
  passkeys: z.int(),
  /** Unused recovery codes. */
  recovery_codes: z.int(),
  /** Characters that a new password has at least. */
  password_min_length: z.int(),
})
export type Me = z.infer<typeof Me>

export const getMe = endpoint({
  method: 'GET',
  path: '/accounts/users/me/',
  access: 'any-session',
  summary: "Get the caller's user and permissions",
  response: Me,
})
