import { ActionIcon, Button } from '@mantine/core'
import { IconBuildingPlus, IconSortDescending } from '@tabler/icons-react'
import { useMay } from '../../app/api/queries.ts'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { useHoverTip } from '../../ui/layout/use-hover-tip.tsx'
import classes from './ClientTree.module.css'
import { useTreeSort } from './use-tree-sort.ts'

/** The line under the tree: its order, and a new client. */
export function TreeTools() {
  const { sort, toggle } = useTreeSort()
  const mayAdd = useMay('can_manage_clients')
  const { open } = useDialog()
  const { tip, handlers } = useHoverTip()
  const failingFirst = sort === 'alphafail'
  return (
    <div className={classes.tools} {...handlers}>
      <Button
        variant="subtle"
        color={failingFirst ? 'blue' : 'gray'}
        className={classes.tool}
        leftSection={<IconSortDescending size={16} stroke={1.75} aria-hidden />}
        aria-pressed={failingFirst}
        data-tip={failingFirst ? 'Order by name only' : 'Put failing clients first'}
        onClick={toggle}
      >
        Failing first
      </Button>
      {mayAdd && (
        <ActionIcon aria-label="Add client" data-tip="Add client" onClick={() => open('add-client')}>
          <IconBuildingPlus size={16} stroke={1.75} />
        </ActionIcon>
      )}
      {tip}
    </div>
  )
}
