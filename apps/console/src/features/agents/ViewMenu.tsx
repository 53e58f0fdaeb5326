import { Button, Menu, Text } from '@mantine/core'
import { deleteView, editView, listViews, type MachineView } from '@muster/contract/api/views'
import type { MachineColumnChoice } from '@muster/contract/machine-columns'
import { IconCheck, IconChevronDown, IconLayoutList } from '@tabler/icons-react'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { lazyPart } from '../../app/shell/lazy-part.ts'
import { notifyDone } from '../../app/shell/notify.ts'
import { useChangeDashboard, useDashboard } from '../dashboard/use-dashboard.ts'
import classes from './ViewMenu.module.css'
import { formatSort, type MachineSort } from './sort-machines.ts'
import { dropColumnDraft } from './use-machine-columns.ts'
import { viewsQuery } from './views-query.ts'

const RemoveDialog = lazyPart(() =>
  import('../../app/dialogs/RemoveDialog.tsx').then((file) => file.RemoveDialog),
)
const SaveViewDialog = lazyPart(() => import('./SaveViewDialog.tsx').then((file) => file.SaveViewDialog))

interface ViewMenuProps {
  view: MachineView | undefined
  text: string
  sort: MachineSort
  choices: MachineColumnChoice[]
  /** Whether the columns differ from those of the view. */
  hasOtherColumns: boolean
  /** At first. */
  isOpened: boolean
}

/** Opens and saves views of the table. */
export function ViewMenu({ view, text, sort, choices, hasOtherColumns, isOpened }: ViewMenuProps) {
  const [opened, setOpened] = useState(isOpened)
  const [dialog, setDialog] = useState<'new' | 'edit' | 'remove'>()
  const change = useChangeDashboard()
  const address = useDashboard(({ view: id }) => id)
  const { data: views = [] } = useQuery({ ...viewsQuery, enabled: opened || address !== undefined })
  const content = { search: text.trim(), sort: formatSort(sort) ?? '', columns: choices }
  const isModified =
    view !== undefined && (content.search !== view.search || content.sort !== view.sort || hasOtherColumns)
  const open = (id: number | undefined) => {
    dropColumnDraft()
    change({ view: id === undefined ? undefined : `${id}`, search: undefined, sort: undefined }, 'step')
  }
  const save = useSaveView(({ id }) => open(id))
  return (
    <>
      <Menu opened={opened} onChange={setOpened} position="bottom-end" width={260}>
        <Menu.Target>
          <Button
            variant="default"
            className={classes.button ?? ''}
            leftSection={<IconLayoutList size={16} stroke={1.75} aria-hidden />}
            rightSection={<IconChevronDown size={14} stroke={1.75} aria-hidden />}
            aria-label={`View: ${view?.name ?? 'default'}${isModified ? ', modified' : ''}`}
          >
            <span className="cut">{view?.name ?? 'View'}</span>
            {isModified && <span className={classes.modified}>modified</span>}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <ViewItem name="Default view" active={address === undefined} onOpen={() => open(undefined)} />
          {views.map(({ id, name, shared, editable, username }) => (
            <ViewItem
              key={id}
              name={name}
              note={editable ? (shared ? 'shared' : undefined) : `by ${username}`}
              active={view?.id === id}
              onOpen={() => open(id)}
            />
          ))}
          <Menu.Divider />
          {view?.editable === true && (
            <Menu.Item disabled={!isModified} onClick={() => save(view, content)}>
              Save changes
            </Menu.Item>
          )}
          <Menu.Item onClick={() => setDialog('new')}>Save as new view</Menu.Item>
          {isModified && <Menu.Item onClick={() => open(view.id)}>Discard changes</Menu.Item>}
          {view?.editable === true && (
            <>
              <Menu.Item onClick={() => setDialog('edit')}>Rename or share</Menu.Item>
              <Menu.Item color="red" onClick={() => setDialog('remove')}>
                Delete {view.name}
              </Menu.Item>
            </>
          )}
        </Menu.Dropdown>
      </Menu>
      {dialog === 'remove' && view !== undefined && (
        <Suspense fallback={null}>
          <RemoveDialog
            title="Delete this view?"
            message={
              <Text>
                {view.shared ? `${view.name} is deleted for all users.` : `${view.name} is deleted.`}
              </Text>
            }
            remove={async () => {
              await call(deleteView, { params: { id: view.id } })
              open(undefined)
            }}
            done="View deleted."
            stale={viewsQuery.queryKey}
            onClose={() => setDialog(undefined)}
          />
        </Suspense>
      )}
      {(dialog === 'new' || dialog === 'edit') && (
        <Suspense fallback={null}>
          <SaveViewDialog
            view={dialog === 'edit' ? view : undefined}
            content={content}
            onSaved={(saved) => {
              if (dialog === 'new') open(saved.id)
            }}
            onClose={() => setDialog(undefined)}
          />
        </Suspense>
      )}
    </>
  )
}

interface ViewItemProps {
  name: string
  note?: string | undefined
  active: boolean
  onOpen: () => void
}

function ViewItem({ name, note, active, onOpen }: ViewItemProps) {
  return (
    <Menu.Item
      leftSection={
        active ? <IconCheck size={16} stroke={1.75} aria-label="Open" /> : <span className={classes.space} />
      }
      rightSection={note === undefined ? undefined : <span className="dim small">{note}</span>}
      onClick={onOpen}
    >
      {name}
    </Menu.Item>
  )
}

type ViewContent = Pick<MachineView, 'search' | 'sort' | 'columns'>

function useSaveView(onSaved: (view: MachineView) => void) {
  const queryClient = useQueryClient()
  const { mutate } = useMutation({
    mutationFn: async ({ view, content }: { view: MachineView; content: ViewContent }) => {
      const saved = await call(editView, {
        params: { id: view.id },
        body: { ...content, modified: view.modified },
      })
      await queryClient.invalidateQueries({ queryKey: queryKey(listViews) })
      return saved
    },
    onSuccess: (saved) => {
      onSaved(saved)
      notifyDone(`${saved.name} saved.`)
    },
  })
  return (view: MachineView, content: ViewContent) => mutate({ view, content })
}
