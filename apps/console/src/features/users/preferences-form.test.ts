import { expect, test } from 'vitest'
import { type PreferencesForm, checkPreferences, toPreferences } from './preferences-form.ts'

const form: PreferencesForm = {
  start_page: 'dashboard',
  dark_mode: true,
  show_community_scripts: true,
  agent_dblclick_action: 'editagent',
  url_action: null,
  default_agent_tbl_tab: 'server',
  client_tree_sort: 'alphafail',
  clear_search_when_switching: false,
  compact_rows: true,
  show_agent_version: false,
  terminal_font_size: 13,
  terminal_theme: 'dark',
  date_format: '',
  loading_bar_color: 'red',
  dash_info_color: 'info',
  dash_positive_color: 'positive',
  dash_negative_color: 'negative',
  dash_warning_color: 'warning',
}

test('palette names, theme names and hex colours can be saved', () => {
  expect(
    checkPreferences({ ...form, dash_info_color: 'deep-purple-3', loading_bar_color: '#3ECF8E' }),
  ).toEqual({})
})

test('an invalid colour shows an error at its own field', () => {
  expect(Object.keys(checkPreferences({ ...form, dash_info_color: 'ruby', dash_warning_color: '' }))).toEqual(
    ['dash_warning_color', 'dash_info_color'],
  )
})

test('an empty date format is saved as empty, for the default', () => {
  expect(toPreferences({ ...form, date_format: '  ' }).date_format).toBe('')
})
