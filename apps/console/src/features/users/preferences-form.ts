import type { DashInfo } from '@muster/contract/api/system'
import type { Preferences } from '@muster/contract/api/users'
import { findColor } from '@muster/rules/text/colors'

/** The values of the preferences; the splitter and the columns are set elsewhere. */
export type PreferencesForm = Omit<
  Preferences,
  'client_tree_splitter' | 'agent_columns' | 'first_steps_hidden'
>

export const COLOR_SETTINGS = [
  'dash_positive_color',
  'dash_negative_color',
  'dash_warning_color',
  'dash_info_color',
  'loading_bar_color',
] as const
export type ColorSetting = (typeof COLOR_SETTINGS)[number]

export const PREFERENCE_FIELDS: Record<keyof PreferencesForm, { label: string; description?: string }> = {
  start_page: { label: 'Start page', description: 'Opens after sign-in and in a new window.' },
  default_agent_tbl_tab: { label: 'Dashboard opens with' },
  client_tree_sort: { label: 'Order of clients' },
  agent_dblclick_action: { label: 'Double click on a machine' },
  url_action: { label: 'URL action' },
  date_format: { label: 'Date format' },
  dark_mode: { label: 'Dark mode' },
  compact_rows: { label: 'Compact rows' },
  show_agent_version: { label: 'Agent version in the table of machines' },
  clear_search_when_switching: { label: 'Clear the search when another client or site is selected' },
  show_community_scripts: { label: 'Show community scripts' },
  terminal_font_size: { label: 'Terminal text' },
  terminal_theme: { label: 'Terminal theme' },
  dash_positive_color: { label: 'Positive' },
  dash_negative_color: { label: 'Negative' },
  dash_warning_color: { label: 'Warning' },
  dash_info_color: { label: 'Information' },
  loading_bar_color: { label: 'Loading bar' },
}

/** The form's values from the server's response: two of them have another name there. */
export function readPreferences(info: DashInfo): PreferencesForm {
  return {
    start_page: info.start_page,
    dark_mode: info.dark_mode,
    show_community_scripts: info.show_community_scripts,
    agent_dblclick_action: info.dbl_click_action,
    url_action: info.url_action,
    default_agent_tbl_tab: info.default_agent_tbl_tab,
    client_tree_sort: info.client_tree_sort,
    clear_search_when_switching: info.clear_search_when_switching,
    compact_rows: info.compact_rows,
    show_agent_version: info.show_agent_version,
    terminal_font_size: info.terminal_font_size,
    terminal_theme: info.terminal_theme,
    date_format: info.date_format === info.default_date_format ? '' : info.date_format,
    loading_bar_color: info.loading_bar_color,
    dash_info_color: info.dash_info_color,
    dash_positive_color: info.dash_positive_color,
    dash_negative_color: info.dash_negative_color,
    dash_warning_color: info.dash_warning_color,
  }
}

export const toPreferences = (form: PreferencesForm): PreferencesForm => ({
  ...form,
  url_action: form.agent_dblclick_action === 'urlaction' ? form.url_action : null,
  date_format: form.date_format.trim(),
})

/** One error for each invalid field. */
export function checkPreferences(form: PreferencesForm): Partial<Record<keyof PreferencesForm, string>> {
  const wrong = COLOR_SETTINGS.filter((setting) => findColor(form[setting]) === undefined)
  return {
    ...Object.fromEntries(wrong.map((setting) => [setting, COLOR_HELP])),
    ...(form.agent_dblclick_action === 'urlaction' && form.url_action === null
      ? { url_action: 'Choose a URL action.' }
      : {}),
    ...(form.date_format.length > 60 ? { date_format: 'At most 60 characters.' } : {}),
  }
}

const COLOR_HELP = 'Enter a name such as red or teal-7, or a colour such as #3ecf8e.'
