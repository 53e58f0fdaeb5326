import type { DashInfo } from '@muster/contract/api/system'
import type { Preferences } from '@muster/contract/api/users'
import { findColor } from '@muster/rules/text/colors'

/** The values of the preferences dialog; the splitter and the URL action are set elsewhere. */
export type PreferencesForm = Omit<Preferences, 'client_tree_splitter' | 'url_action'>

export const COLOR_SETTINGS = [
  'dash_positive_color',
  'dash_negative_color',
  'dash_warning_color',
  'dash_info_color',
  'loading_bar_color',
] as const
export type ColorSetting = (typeof COLOR_SETTINGS)[number]

/** The form's values from the server's response: two of them have another name there. */
export function readPreferences(info: DashInfo): PreferencesForm {
  return {
    dark_mode: info.dark_mode,
    show_community_scripts: info.show_community_scripts,
    agent_dblclick_action: info.dbl_click_action,
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
  date_format: form.date_format.trim(),
})

/** One error for each invalid field. */
export function checkPreferences(form: PreferencesForm): Partial<Record<keyof PreferencesForm, string>> {
  const wrong = COLOR_SETTINGS.filter((setting) => findColor(form[setting]) === undefined)
  return {
    ...Object.fromEntries(wrong.map((setting) => [setting, COLOR_HELP])),
    ...(form.date_format.length > 60 ? { date_format: 'At most 60 characters.' } : {}),
  }
}

const COLOR_HELP = 'Enter a name such as red or teal-7, or a colour such as #3ecf8e.'
