import type { Plugin } from 'vite'

const AWAITED = 'supportsWebCodecsH264Decode = await _checkWebCodecsH264DecodeSupport();'

/**
 * noVNC waits at its beginning until it knows whether the browser plays H.264. A part of the program that waits makes
 * the bundler cut the file that is loaded first in two; so it learns that a moment later.
 */
export function noVncWithoutAwait(): Plugin {
  return {
    name: 'novnc-without-await',
    enforce: 'pre',
    transform: {
      filter: { id: /@novnc\/novnc\/core\/util\/browser\.js$/ },
      handler(code) {
        if (!code.includes(AWAITED)) throw new Error('noVNC does not wait where it used to')
        return code.replace(
          AWAITED,
          '_checkWebCodecsH264DecodeSupport().then((is) => { supportsWebCodecsH264Decode = is }, () => {});',
        )
      },
    },
  }
}
