import { Button, Checkbox, Menu, NativeSelect, Popover, Textarea } from '@mantine/core'
import { IconCamera, IconClipboard, IconKeyboard, IconMaximize } from '@tabler/icons-react'
import { type RefObject, useState } from 'react'
import { notify } from '../../../app/shell/notify.ts'
import { saveBlob } from '../../../ui/inputs/save-file.ts'
import classes from './DesktopWindow.module.css'
import type { DesktopState, DesktopView } from './desktop-view.ts'
import { KEY_SEQUENCES } from './key-sequences.ts'
import { QUALITIES, type Quality, type ScreenLook } from './screen.ts'
import type { SharedClipboard } from './use-clipboard.ts'
import { serverNow } from '../../../ui/layout/server-clock.ts'

interface DesktopToolsProps {
  hostname: string
  view: RefObject<DesktopView | null>
  place: RefObject<HTMLDivElement | null>
  state: Extract<DesktopState, { state: 'open' }>
  look: ScreenLook
  onLook: (look: ScreenLook) => void
  onDisplay: (display: string) => void
  clipboard: SharedClipboard
}

const QUALITY_CHOICES = Object.entries(QUALITIES).map(([value, { label }]) => ({ value, label }))

/** The tools of a visible screen. */
export function DesktopTools(props: DesktopToolsProps) {
  const { hostname, view, place, state, look, onLook, onDisplay, clipboard } = props
  const savePicture = async () => {
    const picture = await view.current?.screen?.takePicture()
    if (picture)
      saveBlob(
        `${hostname}-${new Date(serverNow()).toISOString().replaceAll(':', '-').slice(0, 19)}.png`,
        picture,
      )
  }
  const focusScreen = () => view.current?.screen?.focus()
  return (
    <div className={classes.tools} role="toolbar" aria-label="Screen">
      {state.displays.length > 1 && (
        <NativeSelect
          size="xs"
          aria-label="Display"
          data={state.displays.map((name) => ({ value: name, label: `Display ${name}` }))}
          value={state.display}
          onChange={({ currentTarget }) => onDisplay(currentTarget.value)}
        />
      )}
      <NativeSelect
        size="xs"
        aria-label="Quality"
        data={QUALITY_CHOICES}
        value={look.quality}
        // One of the choices above.
        onChange={({ currentTarget }) => onLook({ ...look, quality: currentTarget.value as Quality })}
      />
      <Checkbox
        size="xs"
        label="Fit window"
        checked={look.fit}
        onChange={({ currentTarget }) => onLook({ ...look, fit: currentTarget.checked })}
      />
      <Checkbox
        size="xs"
        label="View only"
        checked={look.viewOnly}
        onChange={({ currentTarget }) => onLook({ ...look, viewOnly: currentTarget.checked })}
      />
      <Menu
        position="bottom-start"
        withinPortal={false}
        returnFocus={false}
        transitionProps={{ duration: 0 }}
        // After the menu has closed and released the focus.
        onClose={() => setTimeout(focusScreen)}
      >
        <Menu.Target>
          <Button
            size="compact-sm"
            variant="default"
            disabled={look.viewOnly}
            leftSection={<IconKeyboard size={16} stroke={1.75} aria-hidden />}
          >
            Keys
          </Button>
        </Menu.Target>
        <Menu.Dropdown aria-label="Keys">
          {KEY_SEQUENCES.map(({ label, keys }) => (
            <Menu.Item key={label} onClick={() => view.current?.screen?.press(keys)}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <ClipboardButton clipboard={clipboard} disabled={look.viewOnly} />
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconCamera size={16} stroke={1.75} aria-hidden />}
        onClick={() => void savePicture()}
      >
        Screenshot
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconMaximize size={16} stroke={1.75} aria-hidden />}
        onClick={async () => {
          if (!(await enterFullScreen(place.current))) notify('This browser does not support full screen.')
          focusScreen()
        }}
      >
        Full screen
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => view.current?.end()}>
        End session
      </Button>
    </div>
  )
}

interface KeyboardLock {
  lock?: () => Promise<void>
}

/**
 * Shows an element in full screen, and captures keys that the browser or this computer would handle, where the browser
 * allows it. False = no full screen.
 */
async function enterFullScreen(element: HTMLElement | null): Promise<boolean> {
  if (element === null || !document.fullscreenEnabled) return false
  try {
    await element.requestFullscreen()
  } catch {
    return false
  }
  // In Chromium only, over TLS, and in no type.
  const { keyboard } = navigator as unknown as { keyboard?: KeyboardLock }
  try {
    await keyboard?.lock?.()
  } catch {
    // The menu of keys sends those that are not captured.
    return true
  }
  return true
}

interface ClipboardProps {
  clipboard: SharedClipboard
  disabled: boolean
}

/** The machine's clipboard text, and a field to set it. */
function ClipboardButton({ clipboard, disabled }: ClipboardProps) {
  return (
    <Popover position="bottom-start" width={300} withinPortal={false} trapFocus>
      <Popover.Target>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconClipboard size={16} stroke={1.75} aria-hidden />}
        >
          Clipboard
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <ClipboardForm key={clipboard.text} clipboard={clipboard} disabled={disabled} />
      </Popover.Dropdown>
    </Popover>
  )
}

function ClipboardForm({ clipboard, disabled }: ClipboardProps) {
  const [draft, setDraft] = useState(clipboard.text)
  const takeFromHere = async () => {
    try {
      clipboard.give(await navigator.clipboard.readText())
    } catch {
      notify('Clipboard access denied by the browser. Paste the text into the field.')
    }
  }
  return (
    <>
      <Textarea
        label="Text on the machine's clipboard"
        rows={5}
        value={draft}
        onChange={({ currentTarget }) => setDraft(currentTarget.value)}
      />
      <div className={classes.clipboardButtons}>
        <Button size="compact-sm" variant="default" disabled={disabled} onClick={() => void takeFromHere()}>
          Paste from this computer
        </Button>
        <Button size="compact-sm" disabled={disabled} onClick={() => clipboard.give(draft)}>
          Send to machine
        </Button>
      </div>
    </>
  )
}
