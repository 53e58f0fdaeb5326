import { savePreferences } from '@muster/contract/api/users'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { dashInfoQuery, useDashInfo } from '../../app/api/queries.ts'

/** Whether this user wants the scripts that come with the product; on screen at once, saved behind it. */
export function useCommunityScripts(): { shown: boolean; show: (value: boolean) => void } {
  const queryClient = useQueryClient()
  const shown = useDashInfo()?.show_community_scripts !== false
  const put = (value: boolean) =>
    queryClient.setQueryData(dashInfoQuery.queryKey, (old) =>
      old === undefined ? old : { ...old, show_community_scripts: value },
    )
  const { mutate } = useMutation({
    mutationFn: (value: boolean) => call(savePreferences, { body: { show_community_scripts: value } }),
    onMutate: put,
    onError: (_error, value) => put(!value),
  })
  return { shown, show: mutate }
}
