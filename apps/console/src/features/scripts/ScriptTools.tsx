import '@mantine/core/styles/FloatingIndicator.css'
import '@mantine/core/styles/SegmentedControl.css'
import { ActionIcon, Button, Checkbox, Menu, SegmentedControl, TextInput } from '@mantine/core'
import { IconChevronDown, IconColumns, IconFileUpload, IconPlus, IconSearch } from '@tabler/icons-react'
import { savePreferences } from '@muster/contract/api/users'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { dashInfoQuery, useDashInfo, useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { MenuItems } from '../../ui/dialog/ContextMenu.tsx'
import { call } from '../../app/api/api.ts'
import classes from './Scripts.module.css'
import { type LibraryView } from './library-view.ts'
import { useChosenColumns, useTableView } from './library-memory.ts'
import { CHOSEN_COLUMNS, titleOfColumn } from './script-columns.tsx'

interface ScriptToolsProps {
  view: LibraryView
  onChange: (view: LibraryView, when?: 'now') => void
  count: string | undefined
  /** Moves the focus to the rows. */
  onDown: () => void
}

/** Filters and view of the library. */
export function ScriptTools({ view, onChange, count, onDown }: ScriptToolsProps) {
  const { shown: community, show: showCommunity } = useCommunityScripts()
  const [isTable, setTable] = useTableView()
  return (
    <div className={classes.tools}>
      <TextInput
        className={classes.search ?? ''}
        aria-label="Search scripts"
        placeholder="Search name, category, description"
        leftSection={<IconSearch size={16} stroke={1.75} aria-hidden />}
        maxLength={200}
        value={view.search}
        onChange={(event) => onChange({ ...view, search: event.currentTarget.value })}
        // The search goes along to the rows.
        onBlur={() => onChange(view, 'now')}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          onDown()
        }}
        autoFocus
      />
      <Checkbox
        label="Community scripts"
        checked={community}
        onChange={(event) => showCommunity(event.currentTarget.checked)}
      />
      <Checkbox
        label="Hidden scripts"
        checked={view.hidden}
        onChange={(event) => onChange({ ...view, hidden: event.currentTarget.checked }, 'now')}
      />
      <div className={classes.right}>
        <span className="dim" role="status">
          {count}
        </span>
        {isTable && <ColumnsMenu />}
        <SegmentedControl
          size="xs"
          aria-label="Show scripts as"
          data={['Table', 'Folders']}
          value={isTable ? 'Table' : 'Folders'}
          onChange={(value) => setTable(value === 'Table')}
        />
      </div>
    </div>
  )
}

/** The buttons beside the page's title. */
export function ScriptActions() {
  const mayManage = useMay('can_manage_scripts')
  const { open } = useDialog()
  return (
    <>
      <Button variant="default" onClick={() => open('snippets')}>
        Snippets
      </Button>
      {mayManage && <NewMenu />}
    </>
  )
}

function NewMenu() {
  const { open } = useDialog()
  return (
    <Menu position="bottom-end" withinPortal={false} floatingStrategy="fixed">
      <Menu.Target>
        <Button
          leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />}
          rightSection={<IconChevronDown size={14} stroke={1.75} aria-hidden />}
        >
          New script
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <MenuItems
          entries={[
            { id: 'new', label: 'New script', icon: IconPlus, run: () => open('script', 'new') },
            {
              id: 'upload',
              label: 'Upload script',
              icon: IconFileUpload,
              run: () => open('script', 'upload'),
            },
          ]}
        />
      </Menu.Dropdown>
    </Menu>
  )
}

function ColumnsMenu() {
  const [chosen, choose] = useChosenColumns()
  return (
    <Menu position="bottom-end" withinPortal={false} floatingStrategy="fixed" closeOnItemClick={false}>
      <Menu.Target>
        <ActionIcon variant="default" size={30} className={classes.columns ?? ''} aria-label="Columns">
          <IconColumns size={16} stroke={1.75} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Columns</Menu.Label>
        <Menu.CheckboxGroup
          value={[...chosen]}
          onChange={(names) => choose(CHOSEN_COLUMNS.filter((name) => names.includes(name)))}
        >
          {CHOSEN_COLUMNS.map((name) => (
            <Menu.CheckboxItem key={name} value={name}>
              {titleOfColumn(name)}
            </Menu.CheckboxItem>
          ))}
        </Menu.CheckboxGroup>
      </Menu.Dropdown>
    </Menu>
  )
}

/** Whether the user wants community scripts; applied at once, saved in the background. */
function useCommunityScripts(): { shown: boolean; show: (value: boolean) => void } {
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
