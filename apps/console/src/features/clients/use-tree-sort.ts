import { savePreferences } from '@muster/contract/api/users'
import { DEFAULT_TREE_SORT, type TreeSort } from '@muster/rules/search/tree-order'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { dashInfoQuery, useDashInfo } from '../../app/api/queries.ts'

/** The order of the tree: shown at once, saved for the user behind it. */
export function useTreeSort(): { sort: TreeSort; toggle: () => void } {
  const sort = useDashInfo()?.client_tree_sort ?? DEFAULT_TREE_SORT
  const queryClient = useQueryClient()
  const show = (client_tree_sort: TreeSort) =>
    queryClient.setQueryData(dashInfoQuery.queryKey, (old) => (old ? { ...old, client_tree_sort } : old))
  const { mutate } = useMutation({
    mutationFn: (client_tree_sort: TreeSort) => call(savePreferences, { body: { client_tree_sort } }),
    onMutate: show,
    onError: (_error, wanted) => show(other(wanted)),
  })
  return { sort, toggle: () => mutate(other(sort)) }
}

const other = (sort: TreeSort): TreeSort => (sort === 'alpha' ? 'alphafail' : 'alpha')
