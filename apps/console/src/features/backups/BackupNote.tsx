import { Button } from '@mantine/core'
import { IconAlertTriangle } from '@tabler/icons-react'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { Banner } from '../../app/shell/Banner.tsx'

/** The banner about a failed scheduled backup. */
export function BackupNote() {
  const { open } = useDialog()
  return (
    <Banner tone="warning" icon={<IconAlertTriangle size={16} stroke={1.75} aria-hidden />}>
      <span>The last backup of the server failed.</span>
      <Button size="compact-xs" variant="default" onClick={() => open('backups')}>
        Show backups
      </Button>
    </Banner>
  )
}
