import { ApiError } from '@muster/contract/client'
import { type QueryKey, useQueryClient } from '@tanstack/react-query'

/** Saves something, and has what it stands in fetched anew: also when somebody else was faster, whose values the form then offers. */
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
