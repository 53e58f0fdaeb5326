import { Preferences } from '@muster/contract/api/users'
import { DEFAULT_COLORS } from '@muster/rules/text/colors'
import { TREE_SPLITTER_DEFAULT } from '@muster/rules/text/layout'

/** What a user sees until something else is chosen. */
export const DEFAULT_PREFERENCES: Preferences = {
  dark_mode: true,
  show_community_scripts: true,
  agent_dblclick_action: 'editagent',
  url_action: null,
  default_agent_tbl_tab: 'mixed',
  client_tree_sort: 'alphafail',
  client_tree_splitter: TREE_SPLITTER_DEFAULT,
  ...DEFAULT_COLORS,
  clear_search_when_switching: true,
  date_format: '',
  compact_rows: true,
  terminal_font_size: 13,
  terminal_theme: 'dark',
}

/** Stored choices laid over the defaults. A value that this version would not accept counts as not chosen. */
export function readPreferences(stored: string): Preferences {
  // Written by writePreferences, perhaps of an older version.
  const chosen = JSON.parse(stored) as Record<string, unknown>
  const good = Object.entries(chosen).filter(
    ([name, value]) =>
      Preferences.partial()
        .strict()
        .safeParse({ [name]: value }).success,
  )
  return Preferences.parse({ ...DEFAULT_PREFERENCES, ...Object.fromEntries(good) })
}

/** The stored text with these choices added. */
export function addPreferences(stored: string, changes: object): string {
  return JSON.stringify({ ...(JSON.parse(stored) as object), ...changes })
}
