import { ApiError } from '@muster/contract/client'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'

/** Saves an item and refetches its list, also after a conflict: the form then offers the newer values. */
export function useSaveInto(queryKey: QueryKey): (save: () => Promise<unknown>) => Promise<void> {
  const queryClient = useQueryClient()
  const refresh = () => queryClient.invalidateQueries({ queryKey })
  return async (save) => {
    try {
      await save()
    } catch (error) {
      if (error instanceof ApiError && error.code === 'changed_meanwhile') await refresh()
      throw error
    }
    await refresh()
  }
}
