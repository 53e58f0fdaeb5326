import { Button, Checkbox, TextInput } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { type Script, listScripts } from '@muster/contract/api/scripts'
import { savePreferences } from '@muster/contract/api/users'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { GuardedDialog, LoadingState } from '../../app/GuardedDialog.tsx'
import { call, query } from '../../app/api.ts'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { useDashInfo, useMay } from '../../app/queries.ts'
import { useDialog } from '../../app/use-dialog.ts'
import { ContextMenu } from '../../ui/ContextMenu.tsx'
import { DataTable } from '../../ui/DataTable.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/States.tsx'
import type { TableSort } from '../../ui/data-column.ts'
import type { Point } from '../../ui/menu-entry.ts'
import { RemoveScriptDialog } from './RemoveScriptDialog.tsx'
import classes from './ScriptsDialog.module.css'
import { SCRIPT_CARD, SCRIPT_COLUMNS } from './script-columns.tsx'
import { showScripts } from './script-list.ts'
import { useScriptActions } from './use-script-actions.ts'

const ROW_PX = 32
const TABLE_PX = 940

/** The script library. */
export function ScriptsDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title="Script library" needs="can_list_scripts" size="full" onClose={close}>
      <Dialog title="Script library" size="full" onClose={close}>
        <Library />
      </Dialog>
    </GuardedDialog>
  )
}

function Library() {
  const community = useDashInfo()?.show_community_scripts !== false
  const [withHidden, setWithHidden] = useState(false)
  const [search, setSearch] = useState('')
  const flags = { showHiddenScripts: text(withHidden), showCommunityScripts: text(community) }
  const { data, error, refetch } = useQuery(query(listScripts, { query: flags }))
  const mayEdit = useMay('can_manage_scripts')
  const queryClient = useQueryClient()
  const { open } = useDialog()
  const setCommunity = async (show: boolean) => {
    await call(savePreferences, { body: { show_community_scripts: show } })
    await queryClient.invalidateQueries()
  }
  return (
    <div className={classes.library}>
      <div className={classes.tools}>
        <TextInput
          className={classes.search ?? ''}
          aria-label="Search scripts"
          placeholder="Search name, category, description"
          leftSection={<IconSearch size={16} stroke={1.75} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          data-autofocus
        />
        <Checkbox
          label="Hidden scripts"
          checked={withHidden}
          onChange={(event) => setWithHidden(event.currentTarget.checked)}
        />
        <Checkbox
          label="Built-in scripts"
          checked={community}
          onChange={(event) => void setCommunity(event.currentTarget.checked)}
        />
        {mayEdit && (
          <Button
            className={classes.right ?? ''}
            leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />}
            onClick={() => open('script', 'new')}
          >
            New script
          </Button>
        )}
      </div>
      {data === undefined ? (
        <div className={classes.state}>
          <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
        </div>
      ) : (
        <ScriptTable scripts={data} search={search} onClear={() => setSearch('')} mayEdit={mayEdit} />
      )}
    </div>
  )
}

interface ScriptTableProps {
  scripts: readonly Script[]
  search: string
  onClear: () => void
  mayEdit: boolean
}

function ScriptTable({ scripts, search, onClear, mayEdit }: ScriptTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [sort, setSort] = useState<TableSort>({ column: 'name', descending: false })
  const [selected, setSelected] = useState<string>()
  const [menu, setMenu] = useState<{ script: Script; at: Point }>()
  const [removed, setRemoved] = useState<Script>()
  const { open } = useDialog()
  const actions = useScriptActions({ mayEdit, onRemove: setRemoved })
  const rows = useMemo(() => showScripts(scripts, search, sort), [scripts, search, sort])
  const edit = ({ id }: Script) => open('script', id)
  return (
    <div className={classes.table}>
      <DataTable
        label="Scripts"
        rows={rows}
        rowKey={({ id }) => `${id}`}
        columns={SCRIPT_COLUMNS}
        context={{ toggleFavorite: mayEdit ? actions.toggleFavorite : undefined }}
        rowHeight={ROW_PX}
        minWidth={TABLE_PX}
        sort={sort}
        onSort={(column) =>
          setSort((old) => ({ column, descending: old.column === column && !old.descending }))
        }
        selected={selected}
        onSelect={(row) => setSelected(row && `${row.id}`)}
        onOpen={edit}
        onDoubleClick={edit}
        onMenu={(script, at) => setMenu({ script, at })}
        card={hasCards ? SCRIPT_CARD : undefined}
        empty={<NoScripts none={scripts.length === 0} mayEdit={mayEdit} onClear={onClear} />}
      />
      <ContextMenu
        label={menu === undefined ? 'Script' : menu.script.name}
        at={menu?.at}
        entries={menu === undefined ? [] : actions.menuOf(menu.script)}
        onClose={() => setMenu(undefined)}
      />
      {removed !== undefined && <RemoveScriptDialog script={removed} onClose={() => setRemoved(undefined)} />}
    </div>
  )
}

function NoScripts({ none, mayEdit, onClear }: { none: boolean; mayEdit: boolean; onClear: () => void }) {
  const { open } = useDialog()
  if (!none) {
    return (
      <EmptyState message="No script fits the search.">
        <Button variant="default" onClick={onClear}>
          Clear search
        </Button>
      </EmptyState>
    )
  }
  if (!mayEdit) return <EmptyState message="There are no scripts yet." />
  return (
    <EmptyState message="There are no scripts yet.">
      <Button onClick={() => open('script', 'new')}>Write the first one</Button>
    </EmptyState>
  )
}

function text(flag: boolean): 'true' | 'false' {
  return flag ? 'true' : 'false'
}
