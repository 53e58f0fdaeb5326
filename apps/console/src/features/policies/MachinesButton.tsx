import { Button } from '@mantine/core'
import { useDialog } from '../../app/dialogs/use-dialog.ts'

interface MachinesButtonProps {
  kind: 'check' | 'task'
  id: number
  name: string
}

/** Opens the status of a policy's check or task on each of its machines. */
export function MachinesButton({ kind, id, name }: MachinesButtonProps) {
  const { open } = useDialog()
  return (
    <Button
      variant="default"
      size="compact-sm"
      aria-label={`Machines of ${name}`}
      onClick={() => open('policy-status', `${kind}.${id}`)}
    >
      Machines
    </Button>
  )
}
