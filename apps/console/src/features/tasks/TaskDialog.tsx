import { getTask, type Task } from '@muster/contract/api/tasks'
import { query } from '../../app/api/api.ts'
import { AgentItemDialog, type ItemDialogProps } from '../agents/AgentItemDialog.tsx'

/** A dialog about the task in the address, and its machine. */
export function TaskDialog({ item, ...props }: ItemDialogProps<Task> & { item: string }) {
  return <AgentItemDialog noun="task" query={query(getTask, { params: { id: Number(item) } })} {...props} />
}
