import { createPolicy, listPolicies, type Policy } from '@muster/contract/api/policies'
import { IconCopy, IconPencil, IconTrash } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { call } from '../../app/api/api.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useMay } from '../../app/api/queries.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { type MenuEntry, divider } from '../../ui/dialog/menu-entry.ts'

const NOT_ALLOWED = 'Your role does not allow it.'
const NOT_WHOLE = 'It also reaches machines that you may not see.'

export type PolicyActions = ReturnType<typeof usePolicyActions>

/** All that can be done with a policy of the list. */
export function usePolicyActions(onRemove: (policy: Policy) => void) {
  const mayManage = useMay('can_manage_automation_policies')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const show = (id: string) => void navigate({ to: '/policies/$policy_id', params: { policy_id: id } })
  const copy = useMutation({
    mutationFn: ({ id, name }: Policy) =>
      call(createPolicy, { body: { name: `${name} (copy)`, copyId: id, active: false } }),
    onSuccess: async ({ id, name }) => {
      notifyDone(`${name} is made. It is assigned to nothing yet.`)
      await queryClient.invalidateQueries({ queryKey: queryKey(listPolicies) })
      show(`${id}`)
    },
  })
  const unlessWhole = ({ is_whole }: Policy) => (mayManage ? (is_whole ? undefined : NOT_WHOLE) : NOT_ALLOWED)
  const menuOf = (policy: Policy): MenuEntry[] => [
    {
      id: 'open',
      label: mayManage && policy.is_whole ? 'Edit' : 'Open',
      icon: IconPencil,
      shortcut: 'Enter',
      run: () => show(`${policy.id}`),
    },
    {
      id: 'copy',
      label: 'Copy',
      icon: IconCopy,
      disabledReason: mayManage ? undefined : NOT_ALLOWED,
      run: () => copy.mutate(policy),
    },
    divider('end'),
    {
      id: 'delete',
      label: 'Delete',
      icon: IconTrash,
      danger: true,
      disabledReason: unlessWhole(policy),
      run: () => onRemove(policy),
    },
  ]
  return { mayManage, menuOf, open: ({ id }: Policy) => show(`${id}`), add: () => show('new') }
}
