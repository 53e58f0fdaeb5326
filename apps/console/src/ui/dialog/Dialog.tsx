import { Modal } from '@mantine/core'
import { type ReactNode, useEffect, useId, useSyncExternalStore } from 'react'
import classes from './Dialog.module.css'
import { useReturnFocus } from './use-return-focus.ts'

export interface DialogProps {
  title: ReactNode
  /** Absent: the dialog cannot be closed. */
  onClose?: () => void
  children: ReactNode
  /** Buttons in the footer; the one accent button last. */
  footer?: ReactNode
  /** Why the main button is disabled; shown beside it. */
  why?: string | undefined
  /** `full` fills the window, for screens like the script library. */
  size?: 'sm' | 'md' | 'lg' | 'xl' | 'full'
  /** Neither Escape nor a click outside closes it: for work that would be lost. */
  persistent?: boolean
  opened?: boolean
  zIndex?: number
}

const STYLES = { content: classes.content ?? '', title: classes.title ?? '', body: classes.body ?? '' }
const WIDTHS_PX = { sm: 400, md: 560, lg: 760, xl: 1040, full: undefined }

/** Every dialog of the console: title with a close button, a body that scrolls, buttons that stay in view. */
export function Dialog({
  title,
  onClose,
  children,
  footer,
  why,
  size = 'md',
  persistent = false,
  opened = true,
  zIndex = 200,
}: DialogProps) {
  const isTop = useTopDialog(opened)
  useReturnFocus()
  return (
    <Modal.Root
      opened={opened}
      onClose={onClose ?? (() => undefined)}
      zIndex={zIndex}
      size={WIDTHS_PX[size] ?? 'auto'}
      radius={size === 'full' ? 0 : 'lg'}
      fullScreen={size === 'full'}
      closeOnClickOutside={!persistent && onClose !== undefined}
      closeOnEscape={isTop && !persistent && onClose !== undefined}
      trapFocus={isTop}
      transitionProps={{ duration: 120 }}
      classNames={STYLES}
      centered
    >
      <Modal.Overlay
        backgroundOpacity={0.4}
        // The second click of the double click whose first click opened the dialog.
        onClickCapture={(event) => event.detail > 1 && event.stopPropagation()}
      />
      <Modal.Content>
        {/* Not Modal.Header: that is a <header>, which would be a second banner of the page. */}
        <div className={classes.header}>
          <Modal.Title>{title}</Modal.Title>
          {onClose && <Modal.CloseButton aria-label="Close" />}
        </div>
        <Modal.Body>{children}</Modal.Body>
        {footer !== undefined && (
          <div className={classes.footer}>
            {why !== undefined && <span className={classes.why}>{why}</span>}
            {footer}
          </div>
        )}
      </Modal.Content>
    </Modal.Root>
  )
}

// Dialogs may stack: a question over a form. Keys and focus belong to the top one.
let stack: readonly string[] = []
const listeners = new Set<() => void>()

/** Whether this dialog is on top while it is open. */
function useTopDialog(opened: boolean): boolean {
  const id = useId()
  useEffect(() => {
    if (!opened) return undefined
    change([...stack, id])
    return () => change(stack.filter((other) => other !== id))
  }, [opened, id])
  return useSyncExternalStore(subscribe, () => stack.at(-1) === id)
}

function change(next: readonly string[]): void {
  stack = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
