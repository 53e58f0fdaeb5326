import { Button, Group } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { createPolicy, listPolicies, type Policy } from '@muster/contract/api/policies'
import { IconCopy, IconPencil, IconPlus } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { use, useMemo, useState } from 'react'
import { useMay } from '../../app/api/queries.ts'
import { policiesQuery } from './policies-query.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import { formatDate } from '../../ui/layout/date-format.ts'
import { DateFormat } from '../../ui/layout/date-format-context.ts'
import type { MenuEntry, Point } from '../../ui/dialog/menu-entry.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { removeAction, unlessAllowed } from '../../app/shell/row-actions.ts'
import { useQueryPane } from '../../app/dialogs/use-query-pane.tsx'
import { usePageTitle } from '../../app/shell/page-title.ts'
import classes from './Policies.module.css'
import { PlanDialog } from './PlanDialog.tsx'
import { POLICY_CARD, POLICY_COLUMNS, POLICY_COLUMNS_PX, type PolicyContext } from './policy-columns.tsx'

const ROW_PX = 32
const REFUSED = 'Your role does not allow you to see policies.'

/** All policies that apply to something the user may see. */
export function PoliciesPage() {
  usePageTitle('Policies')
  const {
    data: policies,
    instead,
    isRefused,
  } = useQueryPane(policiesQuery, { needs: 'can_list_automation_policies', refused: REFUSED, rows: 8 })
  const [removed, setRemoved] = useState<Policy>()
  const actions = usePolicyActions(setRemoved)
  const { open } = useDialog()
  if (isRefused) return instead
  return (
    <div className="pane">
      <header className={classes.head}>
        <h1 className={classes.title}>Policies</h1>
        <Button variant="default" component={Link} to="/policies/overview">
          Policy overview
        </Button>
        {actions.mayManage && (
          <Button variant="default" onClick={() => open('assign-policies', 'default-all')}>
            For all machines
          </Button>
        )}
        {actions.mayManage && (
          <Button variant="default" onClick={() => open('recommended-policies')}>
            Recommended policies
          </Button>
        )}
        {actions.mayManage && (
          <Button leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />} onClick={actions.add}>
            New policy
          </Button>
        )}
      </header>
      {policies === undefined ? instead : <PolicyTable policies={policies} actions={actions} />}
      {removed !== undefined && (
        <PlanDialog
          title={`Delete the policy ${removed.name}?`}
          id={removed.id}
          done="Policy deleted."
          onClose={() => setRemoved(undefined)}
        />
      )}
    </div>
  )
}

function PolicyTable({ policies, actions }: { policies: readonly Policy[]; actions: PolicyActions }) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [selected, setSelected] = useState<string>()
  const [menu, setMenu] = useState<{ id: number; at: Point }>()
  const format = use(DateFormat)
  const context = useMemo<PolicyContext>(
    () => ({
      format: (instant) => formatDate(instant, format),
      openMenu: ({ id }, at) => {
        setSelected(`${id}`)
        setMenu({ id, at })
      },
    }),
    [format],
  )
  const { open } = useDialog()
  const asked = policies.find(({ id }) => id === menu?.id)
  return (
    <div className={classes.table}>
      <DataTable
        label="Policies"
        rows={policies}
        rowKey={({ id }) => `${id}`}
        columns={POLICY_COLUMNS}
        context={context}
        rowHeight={ROW_PX}
        minWidth={POLICY_COLUMNS_PX}
        selected={selected}
        onSelect={(row) => setSelected(row && `${row.id}`)}
        {...(hasCards ? { onClickRow: actions.open } : {})}
        onOpen={actions.open}
        onDoubleClick={actions.open}
        onMenu={({ id }, at) => setMenu({ id, at })}
        card={hasCards ? POLICY_CARD : undefined}
        empty={
          <EmptyState message="No policies yet. A policy sets checks and settings of many machines.">
            {actions.mayManage && (
              <Group gap="sm">
                <Button variant="default" onClick={actions.add}>
                  Create policy
                </Button>
                <Button onClick={() => open('recommended-policies')}>Choose a recommended policy</Button>
              </Group>
            )}
          </EmptyState>
        }
        autoFocus
      />
      {menu !== undefined && asked !== undefined && (
        <ContextMenu
          label={`Actions on ${asked.name}`}
          at={menu.at}
          entries={actions.menuOf(asked)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  )
}

const NOT_WHOLE = 'Also applies to machines that you may not see.'

type PolicyActions = ReturnType<typeof usePolicyActions>

/** The actions of a policy in the list. */
function usePolicyActions(onRemove: (policy: Policy) => void) {
  const mayManage = useMay('can_manage_automation_policies')
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const show = (id: string) => void navigate({ to: '/policies/$policy_id', params: { policy_id: id } })
  const copy = useMutation({
    mutationFn: ({ id, name }: Policy) =>
      call(createPolicy, { body: { name: `${name} (copy)`, copyId: id, active: false } }),
    onSuccess: async ({ id, name }) => {
      notifyDone(`${name} created. Not assigned yet.`)
      await queryClient.invalidateQueries({ queryKey: queryKey(listPolicies) })
      show(`${id}`)
    },
  })
  const unlessWhole = ({ is_whole }: Policy) => unlessAllowed(mayManage) ?? (is_whole ? undefined : NOT_WHOLE)
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
      disabledReason: unlessAllowed(mayManage),
      run: () => copy.mutate(policy),
    },
    ...removeAction({ disabledReason: unlessWhole(policy), run: () => onRemove(policy) }),
  ]
  return { mayManage, menuOf, open: ({ id }: Policy) => show(`${id}`), add: () => show('new') }
}
