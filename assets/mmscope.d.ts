/** Types of mmscope.js. What each field means, its unit and its bounds: docs/embedding.md. */

/** One side of a moment. */
export interface Side {
  variant: string;
  label: string;
  /** Steps made. */
  step: number;
  /** Steps of the whole run. */
  steps: number;
  /** The last step in words. */
  words: string;
}

/** Where the runs are. */
export interface Moment {
  mmscope: 1;
  scenario: string;
  old: Side;
  new: Side;
  /** Presses of Step from the start, and of the whole run. */
  place: number;
  places: number;
  /** Headline of the last milestone that both sides have passed. */
  milestone: string;
  playing: boolean;
  ended: boolean;
  /** Hash of the permalink. */
  link: string;
}

export type Id = number | string;
export interface Ready extends Moment { type: "ready"; version: string }
export interface Pong extends Moment { type: "pong"; id?: Id }
export interface Step extends Moment { type: "step"; id?: Id }
export interface Divergence { mmscope: 1; type: "divergence"; step: [number, number] }
export interface Invariant {
  mmscope: 1;
  type: "invariant";
  side: "old" | "new";
  step: number;
  rule: string;
  detail: string;
  /** What was asked for is at fault, not the kernel. */
  input: boolean;
}
/** Height that the frame needs, in CSS pixels. */
export interface Resize { mmscope: 1; type: "resize"; height: number }
export interface Failure {
  mmscope: 1;
  type: "error";
  id?: Id;
  code: "version" | "type" | "field" | "range" | "link" | "load" | "rate" | "address" | "failed";
  field?: string;
  message: string;
}
export interface Blur { mmscope: 1; type: "blur" }
export type FromFrame = Ready | Pong | Step | Divergence | Invariant | Resize | Failure | Blur;

export type Params = Record<string, string | number | boolean>;
export type Place = number | [number, number];
export interface Runs {
  scenario: string;
  old: string;
  new: string;
  params?: Params;
  schedule?: string;
  step?: Place;
}
export type Load = Runs | { link: string };
export type Seek = { step: Place } | { milestone: number | string };

export type Speed = 1 | 2 | 4 | 8 | 16 | 30 | 60 | 240;
export type ToFrame = { mmscope: 1; id?: Id } & (
  | { type: "ping" | "pause" }
  | ({ type: "load" } & Load)
  | ({ type: "seek" } & Seek)
  | { type: "step"; by?: number }
  | { type: "play"; speed?: Speed }
);

export interface MmScopeEventMap {
  "mmscope-ready": CustomEvent<Ready>;
  "mmscope-step": CustomEvent<Step>;
  "mmscope-divergence": CustomEvent<Divergence>;
  "mmscope-invariant": CustomEvent<Invariant>;
  "mmscope-resize": CustomEvent<Resize>;
  "mmscope-error": CustomEvent<Failure>;
}

/** `<mm-scope>`. Promises settle with the frame's answer, and fail with an Error that has the members of a Failure. */
export class MmScope extends HTMLElement {
  /** What was told last; null before the frame is ready. */
  moment: Moment | null;
  /** Settles when the frame is ready. */
  whenReady: Promise<void>;
  play(speed?: Speed): Promise<Step>;
  pause(): Promise<Step>;
  step(by?: number): Promise<Step>;
  seek(to: Place | string | Seek): Promise<Step>;
  load(what: Load | string): Promise<Step>;
  addEventListener<K extends keyof MmScopeEventMap>(
    type: K,
    listener: (event: MmScopeEventMap[K]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
}

declare global {
  interface HTMLElementTagNameMap { "mm-scope": MmScope }
}
