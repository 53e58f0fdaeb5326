import { Switch } from '@mantine/core'
import '@mantine/core/styles/Switch.css'
import { useState } from 'react'
import classes from './BellMenu.module.css'
import {
  REFUSAL_TEXTS,
  findRefusal,
  switchOffNotices,
  switchOnNotices,
  useBrowserNotices,
} from './browser-notices.ts'

/** Whether this browser tells of new alerts while the page is hidden. */
export function NoticesSwitch() {
  const on = useBrowserNotices()
  const [refusal, setRefusal] = useState(findRefusal)
  return (
    <>
      <Switch
        size="xs"
        labelPosition="left"
        label="Notify me in this browser"
        checked={on}
        disabled={refusal === 'missing' || refusal === 'insecure'}
        onChange={(event) => {
          if (event.currentTarget.checked) void switchOnNotices().then(setRefusal)
          else switchOffNotices()
        }}
      />
      {refusal !== undefined && (
        <p className={classes.refused} role="status">
          {REFUSAL_TEXTS[refusal]}
        </p>
      )}
    </>
  )
}
