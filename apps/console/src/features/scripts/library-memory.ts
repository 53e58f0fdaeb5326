import { z } from 'zod'
import { useRemembered } from '../../app/session/use-remembered.ts'
import { CHOSEN_COLUMNS, type ChosenColumn } from './script-columns.tsx'

const Names = z.array(z.string())
const NONE: readonly string[] = []

/** Table or folders. */
export const useTableView = () => useRemembered('scriptmanager_tableView', z.boolean(), true)

/** The open folders, by category. */
export const useOpenFolders = () => useRemembered('scriptmanager_expanded', Names, [...NONE])

/** The visible optional columns; unknown names are dropped. */
export function useChosenColumns() {
  const [names, remember] = useRemembered('scriptmanager_columns', Names, [...CHOSEN_COLUMNS])
  const chosen = CHOSEN_COLUMNS.filter((name) => names.includes(name))
  return [chosen, (next: readonly ChosenColumn[]) => remember([...next])] as const
}
