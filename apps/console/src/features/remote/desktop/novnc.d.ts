/** The used part of noVNC 1.7, which has no types of its own. */
declare module '@novnc/novnc' {
  export interface RfbChannel {
    readonly protocol: string
    readonly readyState: string
    binaryType: string
    onopen: (() => void) | null
    onmessage: ((event: { data: ArrayBuffer }) => void) | null
    onclose: ((event: { code?: number; reason?: string }) => void) | null
    onerror: ((event: unknown) => void) | null
    send: (bytes: Uint8Array) => void
    close: () => void
  }

  export interface RfbOptions {
    shared?: boolean
    credentials?: { username?: string; password?: string }
  }

  export interface RfbEvents {
    connect: CustomEvent<object>
    disconnect: CustomEvent<{ clean: boolean }>
    credentialsrequired: CustomEvent<{ types: ('username' | 'password' | 'target')[] }>
    securityfailure: CustomEvent<{ status: number; reason?: string }>
    clipboard: CustomEvent<{ text: string }>
    desktopname: CustomEvent<{ name: string }>
  }

  export default class RFB extends EventTarget {
    constructor(target: HTMLElement, channel: RfbChannel, options?: RfbOptions)
    viewOnly: boolean
    scaleViewport: boolean
    /** 0 (low) to 9 (high). */
    qualityLevel: number
    /** 0 (none) to 9 (maximum). */
    compressionLevel: number
    background: string
    /** Internal to noVNC: the only source for data that is not drawn yet. */
    readonly _sock: { rQlen: () => number }
    addEventListener<Name extends keyof RfbEvents>(
      name: Name,
      listener: (event: RfbEvents[Name]) => void,
    ): void
    disconnect(): void
    sendCredentials(credentials: { username?: string; password?: string }): void
    /** Without `down`: pressed and released. */
    sendKey(keysym: number, code: string | null, down?: boolean): void
    clipboardPasteFrom(text: string): void
    focus(): void
    toBlob(take: (blob: Blob | null) => void): void
  }
}
