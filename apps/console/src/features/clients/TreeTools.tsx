import { ActionIcon, Button, Tooltip } from '@mantine/core'
import { IconBuildingPlus, IconSortDescending } from '@tabler/icons-react'
import { useMay } from '../../app/queries.ts'
import { useDialog } from '../../app/use-dialog.ts'
import classes from './ClientTree.module.css'
import { useTreeSort } from './use-tree-sort.ts'

/** The line under the tree: its order, and a new client. */
export function TreeTools() {
  const { sort, toggle } = useTreeSort()
  const mayAdd = useMay('can_manage_clients')
  const { open } = useDialog()
  const failingFirst = sort === 'alphafail'
  return (
    <div className={classes.tools}>
      <Tooltip label={failingFirst ? 'Order by name only' : 'Put failing clients first'}>
        <Button
          variant="subtle"
          color={failingFirst ? 'blue' : 'gray'}
          className={classes.tool}
          leftSection={<IconSortDescending size={16} stroke={1.75} aria-hidden />}
          aria-pressed={failingFirst}
          onClick={toggle}
        >
          Failing first
        </Button>
      </Tooltip>
      {mayAdd && (
        <Tooltip label="Add client">
          <ActionIcon aria-label="Add client" onClick={() => open('add-client')}>
            <IconBuildingPlus size={16} stroke={1.75} />
          </ActionIcon>
        </Tooltip>
      )}
    </div>
  )
}
