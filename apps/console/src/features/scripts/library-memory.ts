import { z } from 'zod'
import { useLocalStorage } from '@mantine/hooks'
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

/** A choice stored in this browser. Invalid stored values count as absent. */
function useRemembered<Value>(key: string, schema: z.ZodType<Value>, usual: Value) {
  const [value, remember] = useLocalStorage<Value>({
    key,
    defaultValue: usual,
    getInitialValueInEffect: false,
    deserialize: (text) => schema.safeParse(parseJson(text)).data ?? usual,
  })
  return [value, remember] as const
}

function parseJson(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? 'null')
  } catch {
    // Storage can hold anything.
    return undefined
  }
}
