import { Button, Drawer } from '@mantine/core'
import '@mantine/core/styles/Drawer.css'
import { IconLayoutSidebarLeftExpand } from '@tabler/icons-react'
import { ClientTree } from '../clients/ClientTree.tsx'
import classes from './TreeDrawer.module.css'
import { useNodeName, useSelectedNode } from './use-dashboard.ts'

interface TreeDrawerProps {
  opened: boolean
  onOpen: () => void
  onClose: () => void
}

/** For narrow windows: a button with the selected node, and the tree as a drawer. */
export function TreeDrawer({ opened, onOpen, onClose }: TreeDrawerProps) {
  const name = useNodeName(useSelectedNode()) ?? 'All Clients'
  return (
    <>
      <Button
        variant="default"
        className={classes.button}
        leftSection={<IconLayoutSidebarLeftExpand size={16} stroke={1.75} aria-hidden />}
        aria-haspopup="dialog"
        onClick={onOpen}
      >
        <span className={classes.name}>{name}</span>
      </Button>
      <Drawer
        opened={opened}
        onClose={onClose}
        title="Clients and sites"
        size={320}
        classNames={{ content: classes.content ?? '', body: classes.body ?? '' }}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <ClientTree onChosen={onClose} />
      </Drawer>
    </>
  )
}
