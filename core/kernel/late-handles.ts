import { type Dispatch, GatewayError, type GuardrailJudge, type Prices } from "#contract";

/** Handles of plugins that the pipeline gives, which is made of the finished generation. */
export interface PipelineHandles {
  readonly guard: GuardrailJudge;
  readonly dispatch: Dispatch;
  readonly prices: Prices;
}

/** Plugins hold them from their setup on; they answer once the generation serves, and not in one that is only looked at. */
export class LateHandles {
  #handles: PipelineHandles | undefined;

  readonly guard: GuardrailJudge = { judge: (...question) => this.#opened.guard.judge(...question) };
  readonly dispatch: Dispatch = async (ask, as) => this.#opened.dispatch(ask, as);
  readonly prices: Prices = { of: (providerId, model) => this.#opened.prices.of(providerId, model) };

  open(handles: PipelineHandles): void {
    this.#handles = handles;
  }
  get #opened(): PipelineHandles {
    if (this.#handles === undefined) throw new GatewayError("NOT_READY", { why: "the plugins of this gateway serve no requests yet" });
    return this.#handles;
  }
}
