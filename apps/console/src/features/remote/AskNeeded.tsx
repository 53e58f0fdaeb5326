import type { ChannelEnd } from '@muster/contract/agent/channel'
import { ConfirmCode } from '../users/sessions/ConfirmCode.tsx'
import { AskPurpose } from './AskPurpose.tsx'

interface AskNeededProps {
  /** Why a tool was not opened. */
  code: ChannelEnd['code']
  message: string
  onGiven: () => void
  onClose: () => void
}

/** Asks for the code or the reason without which a tool is not opened; nothing where it was refused for good. */
export function AskNeeded({ code, message, onGiven, onClose }: AskNeededProps) {
  if (code === 'code_needed') return <ConfirmCode message={message} onConfirmed={onGiven} onClose={onClose} />
  if (code === 'purpose_needed') return <AskPurpose message={message} onGiven={onGiven} onClose={onClose} />
  return null
}
