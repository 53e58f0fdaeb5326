import { type Check, getCheck } from '@muster/contract/api/checks'
import { query } from '../../app/api/api.ts'
import { AgentItemDialog, type ItemDialogProps } from '../agents/AgentItemDialog.tsx'

/** A dialog about the check in the address, and its machine. */
export function CheckDialog({ item, ...props }: ItemDialogProps<Check> & { item: string }) {
  return <AgentItemDialog noun="check" query={query(getCheck, { params: { id: Number(item) } })} {...props} />
}
