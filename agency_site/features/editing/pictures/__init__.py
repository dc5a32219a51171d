"""Pictures that staff upload: checking, scaling, serving."""
